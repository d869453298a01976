SELECT label, label_id FROM labels WHERE label = ANY (%(names)s)
