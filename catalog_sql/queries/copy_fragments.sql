COPY fragments (range_id, ordinal, file_key, segments_found, segments_expected, at_low, at_high, payload) FROM STDIN
