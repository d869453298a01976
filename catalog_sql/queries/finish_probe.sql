DELETE FROM probes WHERE probe_id = %(probe)s AND worker = %(worker)s
