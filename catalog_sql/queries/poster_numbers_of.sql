SELECT poster, poster_id FROM unnest(%(names)s::text[]) AS wanted (poster) JOIN posters USING (poster)
