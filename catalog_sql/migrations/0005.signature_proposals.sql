-- What the analysis of random-named releases proposes for the garbage signature table, and what a person decided.
-- depends: 0003.scale

CREATE TABLE signature_proposals (
    proposal_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    signature text NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('drop', 'keep')),
    reason text NOT NULL,
    cost text NOT NULL,
    articles bigint NOT NULL,
    bytes bigint NOT NULL,
    releases bigint NOT NULL,
    random_share double precision NOT NULL,
    completeness double precision,
    lifetime_days double precision,
    posters bigint NOT NULL,
    crossposted double precision,
    article_bytes bigint NOT NULL,
    groups text[] NOT NULL,
    tools text[] NOT NULL,
    members text[] NOT NULL,
    examples text[] NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'rejected')),
    proposed_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    signature_table integer,
    UNIQUE (signature, verdict)
);
