-- The tables of a league, version 2. Rows are only added: `Store.create` adds a trigger to each table.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);  -- environment, settings and seed, as JSON

CREATE TABLE members (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, is_trainee INTEGER NOT NULL,
    learns INTEGER NOT NULL, parent INTEGER REFERENCES members, generation INTEGER NOT NULL,
    division INTEGER REFERENCES divisions, folder TEXT, added TEXT NOT NULL
);

CREATE TABLE divisions (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, settings TEXT NOT NULL);

CREATE TABLE entries (  -- members of a division
    division INTEGER NOT NULL REFERENCES divisions, member INTEGER NOT NULL REFERENCES members,
    PRIMARY KEY (division, member)
);

CREATE TABLE rounds (  -- planned rounds, played or not, with lists of members as JSON
    id INTEGER PRIMARY KEY, division INTEGER NOT NULL REFERENCES divisions, number INTEGER NOT NULL,
    seed INTEGER NOT NULL, seating TEXT NOT NULL, students TEXT NOT NULL, UNIQUE (division, number)
);

CREATE TABLE outcomes (  -- rounds that were played, or are lost for a reason
    round INTEGER PRIMARY KEY REFERENCES rounds, hands INTEGER NOT NULL, samples INTEGER NOT NULL,
    measures TEXT NOT NULL, seconds REAL NOT NULL, made_at TEXT NOT NULL, made_by TEXT NOT NULL, lost TEXT
);

CREATE TABLE earnings (  -- chips or points that a member won in a round
    round INTEGER NOT NULL REFERENCES outcomes, member INTEGER NOT NULL REFERENCES members, seats INTEGER NOT NULL,
    total INTEGER NOT NULL, squares REAL NOT NULL, PRIMARY KEY (round, member)
);

CREATE TABLE faults (  -- decisions that a member forfeited
    round INTEGER NOT NULL REFERENCES outcomes, member INTEGER NOT NULL REFERENCES members,
    decisions INTEGER NOT NULL, first TEXT NOT NULL, PRIMARY KEY (round, member)
);

CREATE TABLE saves (  -- folders of the files of students after a round
    round INTEGER NOT NULL REFERENCES outcomes, member INTEGER NOT NULL REFERENCES members, folder TEXT NOT NULL,
    PRIMARY KEY (round, member)
);

CREATE TABLE ratings (  -- TrueSkill of members after a round, in its division
    round INTEGER NOT NULL REFERENCES outcomes, member INTEGER NOT NULL REFERENCES members, mu REAL NOT NULL,
    sigma REAL NOT NULL, PRIMARY KEY (round, member)
);
