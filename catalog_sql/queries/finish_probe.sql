DELETE FROM probes WHERE file_id = %(file)s AND ordinal = %(ordinal)s AND worker = %(worker)s
