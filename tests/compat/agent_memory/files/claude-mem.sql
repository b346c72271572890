CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, merged_into_project TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_text TEXT);
INSERT INTO observations VALUES(1,'mem-1','shop',NULL,'bugfix','Retries stop after five attempts',
  'Endless loop in the payment client',
  '["retry() in src/pay.py gives up after five attempts","The pause doubles each time"]',
  'The client repeated forever when the bank was down.','["problem-solution","gotcha"]','["src/pay.py"]',
  '["src/pay.py"]',1,'2026-11-18T09:22:50.524Z',1794993770524,NULL);
INSERT INTO observations VALUES(2,'mem-1','shop',NULL,'decision','Wir nehmen SQLite statt Postgres',NULL,'[]',
  'Ein einzelner Rechner genügt.','["trade-off"]','[]','[]',1,'2026-11-18T09:22:50.524Z',1794993770524,NULL);
INSERT INTO observations VALUES(3,'mem-2','other',NULL,'discovery','Other project',NULL,'[]','Not of this project.',
  '[]','[]','[]',1,'2026-11-18T09:22:50.526Z',1794993770526,NULL);
INSERT INTO session_summaries VALUES(1,'mem-1','shop','Fix the retry','The payment client',
  'The bank answers 503 during the night.','Retry limited','Watch the log',NULL,'2026-11-18T09:22:50.525Z',
  1794993770525,NULL);
INSERT INTO user_prompts VALUES(1,'content-1','please fix the retry');
