-- Signatures and tools that the signature table has to judge: of what was dropped, and of kept records with random names.
SELECT DISTINCT dropped, signature, tool, signatures.label, tools.label
FROM (
    SELECT true AS dropped, signature, tool FROM garbage
    UNION
    SELECT false, signature, tool FROM records WHERE NOT readable_name
) AS pairs
JOIN labels AS signatures ON signatures.label_id = signature
JOIN labels AS tools ON tools.label_id = tool
