-- As claude-mem 13.25.3 wrote it: three of its tables, all rows.
CREATE TABLE sdk_sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content_session_id TEXT NOT NULL,
        memory_session_id TEXT UNIQUE,
        project TEXT NOT NULL,
        platform_source TEXT NOT NULL DEFAULT 'claude',
        user_prompt TEXT,
        started_at TEXT NOT NULL,
        started_at_epoch INTEGER NOT NULL,
        completed_at TEXT,
        completed_at_epoch INTEGER,
        status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active'
      , worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT, observed_model TEXT, observed_billing TEXT);
CREATE TABLE "session_summaries" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        request TEXT,
        investigated TEXT,
        learned TEXT,
        completed TEXT,
        next_steps TEXT,
        files_read TEXT,
        files_edited TEXT,
        notes TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
CREATE TABLE "observations" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        text TEXT,
        type TEXT NOT NULL,
        title TEXT,
        subtitle TEXT,
        facts TEXT,
        narrative TEXT,
        concepts TEXT,
        files_read TEXT,
        files_modified TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, generated_by_model TEXT, relevance_count INTEGER DEFAULT 0, merged_into_project TEXT, agent_type TEXT, agent_id TEXT, metadata TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
INSERT INTO "observations" VALUES(1,'manual-shop-claude','shop',NULL,'discovery','Retries stop after five attempts','Manual memory','[]','Retries stop after five attempts. The client repeated forever when the bank was down.','[]','[]','[]',NULL,'2026-11-18T13:13:32.358Z',1795007612358,0,'7b568a5df0f5a226',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(2,'manual-other-claude','other',NULL,'discovery','Deploys run on Tuesdays','Manual memory','[]','Deploys run on Tuesdays','[]','[]','[]',NULL,'2026-11-18T13:13:32.435Z',1795007612435,0,'cd00ea7eec7f2473',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(3,'m1','shop',NULL,'bugfix','Invoices round half up','','["round_total() in src/pay.py rounds half up"]','Banker rounding lost cents.','[]','[]','["src/pay.py"]',1,'2026-11-01T10:00:00Z',1793527200000,0,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "sdk_sessions" VALUES(1,'manual-content-shop-claude','manual-shop-claude','shop','claude',NULL,'2026-11-18T13:13:32.358Z',1795007612358,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(2,'manual-content-other-claude','manual-other-claude','other','claude',NULL,'2026-11-18T13:13:32.432Z',1795007612432,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(3,'c1','m1','shop','claude','fix it','2026-11-01T10:00:00Z',1793527200000,NULL,NULL,'completed',NULL,0,NULL,NULL,NULL);
INSERT INTO "session_summaries" VALUES(1,'m1','shop','fix rounding',NULL,'The bank answers 503 at night','','',NULL,NULL,NULL,NULL,'2026-11-01T10:05:00Z',1793527500000,0,NULL,NULL,NULL,NULL,'1');
