SELECT version, signatures, verdicts, reasons FROM signature_tables ORDER BY version DESC LIMIT 1
