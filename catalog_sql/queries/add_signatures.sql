INSERT INTO signature_tables (version, signatures, verdicts, reasons) VALUES (%(version)s, %(signatures)s, %(verdicts)s, %(reasons)s)
