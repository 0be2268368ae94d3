-- What the migrations make, all of them together. A test writes this file: run it with -u after adding one.

CREATE TABLE idempotency_records (
  key text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  procedure text NOT NULL,
  fingerprint text NOT NULL,
  status text NOT NULL,
  response_code text,
  response_headers text,
  response_body text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  effects_began_at timestamp with time zone,
  CONSTRAINT idempotency_records_status_check CHECK ((status = ANY (ARRAY['IN_PROGRESS'::text, 'COMPLETED'::text, 'FAILED'::text, 'INDETERMINATE'::text]))),
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (key, scope)
);

CREATE TABLE idempotency_migrations (
  number integer NOT NULL,
  title text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_migrations_pkey PRIMARY KEY (number)
);

CREATE INDEX idempotency_records_expiry ON idempotency_records USING btree (expires_at) WHERE (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text]));

CREATE INDEX idempotency_records_in_progress ON idempotency_records USING btree (updated_at) WHERE (status = 'IN_PROGRESS'::text);

