"""Schema and statements of the recorder in PostgreSQL."""

from typing import Final

FORM: Final = 2
"""The form of the tables: from 2 on, events lie in a partition for each day."""

LOCK: Final = "SELECT pg_try_advisory_lock(hashtext('tablectl.record'))"
SHARD_LOCK: Final = """
SELECT pg_try_advisory_lock_shared(hashtext('tablectl.record'))
    AND pg_try_advisory_lock(hashtext('tablectl.shard'), %s)
"""
SIGN_ON: Final = """
SELECT pg_try_advisory_lock_shared(hashtext('tablectl.record')),
    pg_try_advisory_lock_shared(hashtext('tablectl.recorders'), %s)
"""
"""Its number is that of the shards."""

AT_WORK: Final = """
SELECT count(*) FILTER (WHERE classid::bigint = recorders AND objid::bigint = %(count)s),
    count(*) FILTER (WHERE classid::bigint = recorders AND objid::bigint <> %(count)s),
    coalesce(array_agg(objid::bigint) FILTER (WHERE classid::bigint = shard), '{}')
FROM pg_locks, (SELECT hashtext('tablectl.recorders')::bigint & x'ffffffff'::bigint AS recorders,
                       hashtext('tablectl.shard')::bigint & x'ffffffff'::bigint AS shard) names
WHERE locktype = 'advisory' AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Recorders that share as many shards; those that share another number; the shards that are kept."""

ENDS_SOON: Final = """
SET idle_session_timeout = '6s'; SET idle_in_transaction_session_timeout = '6s'; SET tcp_user_timeout = '6s'
"""
"""The server ends a session, and with it its locks, when it hears nothing: who has shards speaks every second."""

UNCOMPILED: Final = "SET jit = off"
"""For hundreds of partitions a query is compiled for longer than it takes."""

UNLOCK: Final = "SELECT pg_advisory_unlock_all()"

EVENTS: Final = """
CREATE TABLE tablectl.event (
    log integer NOT NULL, sequence bigint NOT NULL, id text NOT NULL, type text NOT NULL, time timestamptz,
    round text NOT NULL, payload bytea NOT NULL, received timestamptz NOT NULL
) PARTITION BY RANGE (received);
"""
"""By when events came: what tables say of the time may be wrong."""

SCHEMA: Final = """
CREATE SCHEMA IF NOT EXISTS tablectl;
CREATE TABLE tablectl.form (version integer NOT NULL);
INSERT INTO tablectl.form VALUES (2);
CREATE TABLE tablectl.log (
    log integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source text NOT NULL UNIQUE, site text NOT NULL, name text NOT NULL,
    ranges jsonb NOT NULL, gone jsonb NOT NULL, head bigint NOT NULL,
    agreed bigint NOT NULL, peaks bytea NOT NULL, verified bigint NOT NULL, verified_at timestamptz,
    keys bytea NOT NULL, trust text NOT NULL, trouble text NOT NULL, last_at timestamptz,
    retired text NOT NULL DEFAULT ''
);
{events}CREATE TABLE tablectl.checkpoint (
    log integer NOT NULL REFERENCES tablectl.log, size bigint NOT NULL, note text NOT NULL, peaks bytea NOT NULL,
    verified boolean NOT NULL, received timestamptz NOT NULL,
    PRIMARY KEY (log, size, note)
);
CREATE TABLE tablectl.gap (
    log integer NOT NULL REFERENCES tablectl.log, low bigint NOT NULL, high bigint NOT NULL,
    noticed timestamptz NOT NULL, filled timestamptz,
    PRIMARY KEY (log, low, noticed)
);
CREATE TABLE tablectl.dispute (
    dispute integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    place text NOT NULL, source text NOT NULL, kind text NOT NULL, sequence bigint NOT NULL, told text NOT NULL,
    payload bytea NOT NULL, digest bytea NOT NULL, received timestamptz NOT NULL, settled text,
    UNIQUE (place, source, kind, sequence, digest)
);
CREATE TABLE tablectl.recorder (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    at timestamptz NOT NULL, session text NOT NULL, connected boolean NOT NULL
);
""".replace("{events}", EVENTS)

MAKING: Final = "SELECT pg_advisory_xact_lock(hashtext('tablectl.form'))"

PARTITIONED: Final = """
ALTER TABLE tablectl.event RENAME TO event_before;
ALTER TABLE tablectl.event_before DROP CONSTRAINT event_log_fkey;
{events}DO $$
DECLARE reader text;
BEGIN
    EXECUTE format(
        'ALTER TABLE tablectl.event ATTACH PARTITION tablectl.event_before FOR VALUES FROM (MINVALUE) TO (%L)',
        (SELECT (date_trunc('day', coalesce(max(received), now()) AT TIME ZONE 'UTC') + interval '1 day')
            AT TIME ZONE 'UTC' FROM tablectl.event_before)
    );
    FOR reader IN
        SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END FROM pg_class, aclexplode(relacl)
        WHERE oid = 'tablectl.event_before'::regclass AND privilege_type = 'SELECT'
    LOOP
        EXECUTE 'GRANT SELECT ON tablectl.event TO ' || reader;
    END LOOP;
END $$;
UPDATE tablectl.log l SET ranges = (
    SELECT coalesce(jsonb_agg(jsonb_build_array(lower(part), upper(part) - 1) ORDER BY part), '[]')
    FROM unnest((
        SELECT range_agg(part) FROM (
            SELECT int8range((value ->> 0)::bigint, (value ->> 1)::bigint, '[]') FROM jsonb_array_elements(l.ranges)
            UNION ALL SELECT int8range(min(sequence), max(sequence), '[]') FROM (
                SELECT sequence, sequence - row_number() OVER (ORDER BY sequence) AS stretch
                FROM tablectl.event_before e WHERE e.log = l.log
            ) numbered GROUP BY stretch
        ) kept (part)
    )) part
);
UPDATE tablectl.form SET version = 2;
""".replace("{events}", EVENTS)
"""From form 1: its table becomes the partition for all up to the day of its last event.

A recorder whose place another one had taken could write ranges without what that one had stored.
"""

DAY: Final = """
DO $$ BEGIN
    SET LOCAL lock_timeout = '2s';
    PERFORM pg_advisory_xact_lock(hashtext('tablectl.form'));
    CREATE TABLE tablectl.event_{name} (LIKE tablectl.event, PRIMARY KEY (log, sequence));
    CREATE INDEX ON tablectl.event_{name} (round) WHERE round <> '';
    CREATE INDEX ON tablectl.event_{name} USING brin (time);
    ALTER TABLE tablectl.event ATTACH PARTITION tablectl.event_{name}
        FOR VALUES FROM ('{day} 0:00Z') TO ('{next} 0:00Z');
EXCEPTION
    WHEN duplicate_table OR invalid_object_definition THEN NULL;  -- a partition has this day
    WHEN lock_not_available THEN NULL;  -- as long as an operator analyses the table
END $$
"""
"""ATTACH makes nobody wait who writes or reads, as CREATE … PARTITION OF would.

A day that is wanted and isn't there is an error of the copy, after which it is tried anew.
"""

ADDED: Final = """
CREATE TABLE IF NOT EXISTS tablectl.device (
    site text NOT NULL, name text NOT NULL, device text NOT NULL, maker text NOT NULL, model text NOT NULL,
    serial text NOT NULL, firmware text NOT NULL, simulated boolean NOT NULL, since timestamptz NOT NULL,
    PRIMARY KEY (site, name, device, since)
);
CREATE INDEX IF NOT EXISTS device_serial ON tablectl.device (serial);
CREATE TABLE IF NOT EXISTS tablectl.shard (
    shard integer PRIMARY KEY,
    turn bigint NOT NULL, at timestamptz NOT NULL, session text NOT NULL, connected boolean NOT NULL
);
"""
"""Made in every database, also in one that an earlier build began."""

SEEN: Final = """
INSERT INTO tablectl.device
SELECT %(site)s, %(name)s, %(device)s, %(maker)s, %(model)s, %(serial)s, %(firmware)s, %(simulated)s,
    %(since)s::timestamptz
WHERE NOT EXISTS (
    SELECT 1 FROM (SELECT * FROM tablectl.device WHERE site = %(site)s AND name = %(name)s AND device = %(device)s
                   ORDER BY since DESC LIMIT 1) last
    WHERE last.maker = %(maker)s AND last.model = %(model)s AND last.serial = %(serial)s
        AND last.firmware = %(firmware)s
)
ON CONFLICT DO NOTHING
"""

LOGS: Final = """
SELECT l.source, l.ranges, l.gone, l.head, l.agreed, l.peaks, l.verified, l.verified_at, l.keys, l.trust, l.trouble,
    l.last_at
FROM tablectl.log l
"""

LOGGED: Final = """
INSERT INTO tablectl.log (source, site, name, ranges, gone, head, agreed, peaks, verified, verified_at, keys, trust,
    trouble, last_at)
SELECT source, site, name, ranges::jsonb, gone::jsonb, head, agreed, peaks, verified, verified_at::timestamptz, keys,
    trust, trouble, last_at::timestamptz
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %b::bytea[],
    %s::bigint[], %s::text[], %b::bytea[], %s::text[], %s::text[], %s::text[]) AS new (source, site, name, ranges, gone,
    head, agreed, peaks, verified, verified_at, keys, trust, trouble, last_at)
ON CONFLICT (source) DO UPDATE SET ranges = excluded.ranges, gone = excluded.gone, head = excluded.head,
    agreed = excluded.agreed, peaks = excluded.peaks, verified = excluded.verified,
    verified_at = excluded.verified_at, keys = excluded.keys, trust = excluded.trust, trouble = excluded.trouble,
    last_at = excluded.last_at
RETURNING source, log
"""

STORED: Final = "SELECT source, log, ranges FROM tablectl.log"

COPIED: Final = """
COPY tablectl.event (log, sequence, id, type, time, round, payload, received) FROM STDIN (FORMAT BINARY)
"""
TYPES: Final = ("int4", "int8", "text", "text", "timestamptz", "text", "bytea", "timestamptz")

COMPARED: Final = """
SELECT wanted.log, e.sequence, e.payload
FROM unnest(%s::integer[], %s::bigint[], %s::bigint[]) AS wanted (log, low, high), LATERAL (
    SELECT sequence, payload FROM tablectl.event
    WHERE log = wanted.log AND sequence BETWEEN wanted.low AND wanted.high OFFSET 0
) e
"""
"""By index in each partition: as a plain join of many it would read all partitions whole."""

NOTED: Final = """
INSERT INTO tablectl.checkpoint (log, size, note, peaks, verified, received)
VALUES (%s, %s, %s, %s, %s, %s::timestamptz)
ON CONFLICT (log, size, note) DO UPDATE SET verified = tablectl.checkpoint.verified OR excluded.verified
"""

GAP: Final = """
INSERT INTO tablectl.gap (log, low, high, noticed, filled) VALUES (%s, %s, %s, %s::timestamptz, %s::timestamptz)
ON CONFLICT (log, low, noticed) DO UPDATE SET filled = excluded.filled
"""

DISPUTED: Final = """
INSERT INTO tablectl.dispute (place, source, kind, sequence, told, payload, digest, received)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s::timestamptz)
ON CONFLICT DO NOTHING
"""

PULSED: Final = """
INSERT INTO tablectl.recorder (at, session, connected) VALUES (%s::timestamptz, %s, %s)
ON CONFLICT (one) DO UPDATE SET at = excluded.at, session = excluded.session, connected = excluded.connected
"""

SHARD_TAKEN: Final = """
INSERT INTO tablectl.shard AS old (shard, turn, at, session, connected) VALUES (%s, 1, now(), '', false)
ON CONFLICT (shard) DO UPDATE SET turn = old.turn + 1
RETURNING turn
"""
SHARD_TURN: Final = "SELECT turn FROM tablectl.shard WHERE shard = %s"
SHARD_PULSED: Final = """
UPDATE tablectl.shard SET at = %s::timestamptz, session = %s, connected = %s WHERE shard = %s
"""

PAYLOADS: Final = """
SELECT e.sequence, e.payload FROM tablectl.event e JOIN tablectl.log l ON l.log = e.log
WHERE l.source = %s AND e.sequence >= %s AND e.sequence < %s ORDER BY e.sequence
"""

FRONTIER: Final = """
SELECT c.size, c.peaks FROM tablectl.checkpoint c JOIN tablectl.log l ON l.log = c.log
WHERE l.source = %s AND c.size <= %s ORDER BY c.size DESC LIMIT 1
"""

NOTES: Final = """
SELECT c.size, c.note FROM tablectl.checkpoint c JOIN tablectl.log l ON l.log = c.log
WHERE l.source = %s AND c.verified ORDER BY c.size DESC, c.received DESC, c.note LIMIT %s OFFSET %s
"""

OPEN_GAPS: Final = """
SELECT l.source, g.low, g.high, g.noticed, g.filled
FROM tablectl.gap g JOIN tablectl.log l ON l.log = g.log WHERE g.filled IS NULL ORDER BY g.log, g.low
"""

HELD: Final = """
SELECT l.source, l.ranges, l.gone, l.head, l.agreed, l.peaks, l.verified, l.verified_at, l.keys, l.trust,
    l.trouble, l.last_at,
    coalesce(
        (SELECT time FROM tablectl.event WHERE log = l.log AND sequence = (l.ranges -> -1 ->> 0)::bigint LIMIT 1),
        (SELECT time FROM tablectl.event WHERE log = l.log AND sequence > (l.ranges -> -1 ->> 0)::bigint
         ORDER BY sequence LIMIT 1)
    ),
    (SELECT count(*) FROM tablectl.gap g WHERE g.log = l.log AND g.filled IS NOT NULL),
    (SELECT count(*) FROM tablectl.dispute d WHERE d.place = l.site || '/' || l.name AND d.settled IS NULL),
    l.retired
FROM tablectl.log l ORDER BY l.source
"""
"""The first event is looked for day by day, up to where it is; in all days only what follows one that is gone."""

PULSE: Final = "SELECT at, session, connected FROM tablectl.recorder"
SHARDS_PULSE: Final = """
SELECT min(at), min(session), bool_and(connected) FROM tablectl.shard WHERE shard < %(count)s
HAVING count(*) = %(count)s
"""
"""The sign of life of the shard that is worst off."""
