CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
  tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT,
  deleted_at REAL DEFAULT NULL, superseded_by TEXT);
INSERT INTO memories VALUES(1,'d7d0742270382a31bc803ec69b722f787cb6666fe3773c4b3b49cf2014a29855',
  'The staging server is rebuilt every Monday','ops,server','note','{"source": "hand"}',1794993840.7401702,
  1794993840.7401702,'2026-11-18T09:24:00.740170Z','2026-11-18T09:24:00.740170Z',NULL,NULL);
INSERT INTO memories VALUES(2,'ebd577fb56413a22eb43c1f6fd758775e4391b9ffd8b2fb229add11413212920',
  'Wir deployen nie am Freitag','ops','decision','{"source": "hand"}',1794993840.7482893,1794993840.7482893,
  '2026-11-18T09:24:00.748289Z','2026-11-18T09:24:00.748289Z',NULL,NULL);
INSERT INTO memories VALUES(3,'3fe032e737716afd4f3cf06b6125f21e0a734b15f11b44caee0145c3d6a09c75',
  'Тесты запускает команда make check','ci','learning','{"source": "hand"}',1794993840.7497976,1794993840.7497976,
  '2026-11-18T09:24:00.749798Z','2026-11-18T09:24:00.749798Z',NULL,NULL);
INSERT INTO memories VALUES(4,'b7767885b09baea76c67476666c834dcc54e05d7cee1a4023c6a4218f19f41f7',
  'Temporary note to delete','x','note','{}',1794993840.7510679,1794993840.7510679,'2026-11-18T09:24:00.751068Z',
  '2026-11-18T09:24:00.751068Z',1794993840.7524993,NULL);
