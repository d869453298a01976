-- Signatures and tools of files with random names, each as it was judged.
SELECT DISTINCT lines.label <> '' AS dropped, signature, tool, signatures.label, tools.label
FROM (SELECT DISTINCT dropped_by, signature, tool FROM verdicts) AS pairs
JOIN labels AS lines ON lines.label_id = dropped_by
JOIN labels AS signatures ON signatures.label_id = signature
JOIN labels AS tools ON tools.label_id = tool
