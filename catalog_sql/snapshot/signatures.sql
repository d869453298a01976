SELECT version, signature, verdict, reason
FROM signature_tables, unnest(signatures, verdicts, reasons) AS line (signature, verdict, reason)
