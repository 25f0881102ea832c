"""Schema and statements of the recorder in SQLite, of the form `columns.FORM`."""

from typing import Final

SCHEMA: Final = """
CREATE TABLE log (
    log INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, site TEXT NOT NULL, name TEXT NOT NULL,
    ranges TEXT NOT NULL, gone TEXT NOT NULL, head INTEGER NOT NULL, agreed INTEGER NOT NULL, peaks BLOB NOT NULL,
    verified INTEGER NOT NULL, verified_at TEXT, keys BLOB NOT NULL, trust TEXT NOT NULL, trouble TEXT NOT NULL,
    last_at TEXT, retired TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE event (
    log INTEGER NOT NULL REFERENCES log, sequence INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, time TEXT,
    round TEXT NOT NULL, payload BLOB NOT NULL, received TEXT NOT NULL, PRIMARY KEY (log, sequence)
) STRICT;
CREATE INDEX event_round ON event (round) WHERE round <> '';
CREATE TABLE checkpoint (
    log INTEGER NOT NULL REFERENCES log, size INTEGER NOT NULL, note TEXT NOT NULL, peaks BLOB NOT NULL,
    verified INTEGER NOT NULL, received TEXT NOT NULL, PRIMARY KEY (log, size, note)
) STRICT;
CREATE TABLE gap (
    log INTEGER NOT NULL REFERENCES log, low INTEGER NOT NULL, high INTEGER NOT NULL, noticed TEXT NOT NULL,
    filled TEXT, PRIMARY KEY (log, low, noticed)
) STRICT;
CREATE TABLE dispute (
    dispute INTEGER PRIMARY KEY, place TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL,
    sequence INTEGER NOT NULL, told TEXT NOT NULL, payload BLOB NOT NULL, digest BLOB NOT NULL,
    received TEXT NOT NULL, settled TEXT, UNIQUE (place, source, kind, sequence, digest)
) STRICT;
CREATE TABLE recorder (
    one INTEGER PRIMARY KEY CHECK (one = 1), at TEXT NOT NULL, session TEXT NOT NULL, connected INTEGER NOT NULL
) STRICT;
"""

DEVICES: Final = """
CREATE TABLE IF NOT EXISTS device (
    site TEXT NOT NULL, name TEXT NOT NULL, device TEXT NOT NULL, maker TEXT NOT NULL, model TEXT NOT NULL,
    serial TEXT NOT NULL, firmware TEXT NOT NULL, simulated INTEGER NOT NULL, since TEXT NOT NULL,
    PRIMARY KEY (site, name, device, since)
) STRICT;
CREATE INDEX IF NOT EXISTS device_serial ON device (serial);
"""
"""Made in every file, also in one that an earlier build began."""

SEEN: Final = """
INSERT OR IGNORE INTO device
SELECT :site, :name, :device, :maker, :model, :serial, :firmware, :simulated, :since
WHERE NOT EXISTS (
    SELECT 1 FROM (SELECT * FROM device WHERE site = :site AND name = :name AND device = :device
                   ORDER BY since DESC LIMIT 1) last
    WHERE last.maker = :maker AND last.model = :model AND last.serial = :serial AND last.firmware = :firmware
)
"""
LOGS: Final = """
SELECT log, source, ranges, gone, head, agreed, peaks, verified, verified_at, keys, trust, trouble, last_at FROM log
"""
LOGGED: Final = """
INSERT INTO log (source, site, name, ranges, gone, head, agreed, peaks, verified, verified_at, keys, trust, trouble,
    last_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source) DO UPDATE SET ranges = excluded.ranges, gone = excluded.gone, head = excluded.head,
    agreed = excluded.agreed, peaks = excluded.peaks, verified = excluded.verified,
    verified_at = excluded.verified_at, keys = excluded.keys, trust = excluded.trust, trouble = excluded.trouble,
    last_at = excluded.last_at
RETURNING log
"""
NOTED: Final = """
INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (log, size, note) DO UPDATE SET verified = verified OR excluded.verified
"""
GAP: Final = "INSERT INTO gap VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET filled = excluded.filled"
DISPUTED: Final = """
INSERT OR IGNORE INTO dispute (place, source, kind, sequence, told, payload, digest, received)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
PAYLOADS: Final = """
SELECT e.sequence, e.payload FROM event e JOIN log l ON l.log = e.log
WHERE l.source = ? AND e.sequence >= ? AND e.sequence < ? ORDER BY e.sequence
"""
FRONTIER: Final = """
SELECT c.size, c.peaks FROM checkpoint c JOIN log l ON l.log = c.log
WHERE l.source = ? AND c.size <= ? ORDER BY c.size DESC LIMIT 1
"""
NOTES: Final = """
SELECT c.size, c.note FROM checkpoint c JOIN log l ON l.log = c.log
WHERE l.source = ? AND c.verified ORDER BY c.size DESC, c.received DESC, c.note LIMIT ? OFFSET ?
"""
OPEN_GAPS: Final = """
SELECT l.source, g.low, g.high, g.noticed, g.filled FROM gap g JOIN log l ON l.log = g.log WHERE g.filled IS NULL
"""
HELD: Final = """
SELECT l.source, l.ranges, l.gone, l.head, l.agreed, l.peaks, l.verified, l.verified_at, l.keys, l.trust, l.trouble,
    l.last_at,
    (SELECT e.time FROM event e WHERE e.log = l.log
     AND e.sequence >= json_extract(l.ranges, '$[#-1][0]') ORDER BY e.sequence LIMIT 1),
    (SELECT count(*) FROM gap g WHERE g.log = l.log AND g.filled IS NOT NULL),
    (SELECT count(*) FROM dispute d WHERE d.place = l.site || '/' || l.name AND d.settled IS NULL),
    l.retired
FROM log l ORDER BY l.source
"""
