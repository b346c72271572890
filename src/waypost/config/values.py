"""What can be set, with what holds where nothing is said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LINKS = ("file", "vscode", "vscode-insiders", "cursor", "windsurf", "zed", "idea", "none")
LEARN_ON = ("commit", "readme", "new_file", "save", "session")
LOG_FORMATS = ("text", "json")


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """An embedding server: Ollama or anything that speaks OpenAI's `/v1/embeddings`."""

    url: str
    model: str
    dimensions: int | None = None
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class LlmServer:
    """A language model behind OpenAI's `/v1/chat/completions`: Ollama, vLLM, llama.cpp, hosted ones.

    A run spends at most `max_tokens_per_run`, question and answer together, and at most `max_cost_per_run` in the
    currency of the prices, which are for a million tokens.
    """

    url: str
    model: str
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 120.0  # for a whole answer
    retries: int = 2
    context_window: int = 8192  # tokens, question and answer together
    temperature: float = 0.0
    max_tokens_per_run: int = 200_000
    input_price: float = 0.0
    output_price: float = 0.0
    max_cost_per_run: float | None = None


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """How the journal ages. Sizes are in megabytes (1024 × 1024 bytes); passing one condenses early."""

    timezone: str = ""  # by which days begin, such as Europe/Berlin; empty: that of this machine
    context_window: int = 128_000  # tokens of the model that reads; half of it may be memory
    file_limit: float = 5.0
    daily_limit: float = 20.0
    total_limit: float = 100.0
    prune_after_days: int = 90  # conversations older than that, and not read for the next, are put away
    prune_unused_days: int = 30
    sessions: bool = True  # what was said in an agent's session is kept at its end


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `waypost serve` runs. Rates are those of one token, by all servers of a team together."""

    log_format: str = "text"  # one of LOG_FORMATS; text: only what went wrong, json: a line for each request and event
    open_metrics: bool = False  # programs of this machine read `/metrics` without a token
    requests_per_minute: int = 30_000
    writes_per_minute: int = 12_000  # besides: these count as requests too
    allowed_hosts: tuple[str, ...] = ()  # names that the Host header may say, with the port unless it is the usual one
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For and -Proto are believed
    shutdown_seconds: float = 10.0  # for requests in flight when it is told to stop


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Snapshots of memories in files."""

    keep: int = 7  # daily ones, and as many of those that were asked for or made before a restore
    daily: bool = True  # maintenance makes one a day


@dataclass(frozen=True, slots=True)
class Settings:
    home: Path
    models: tuple[Path, ...]  # searched in order; the first is where `model install` writes
    person: str
    engine: str = "minilm"  # minilm | onnx:DIR | ollama | openai
    multilingual: bool = True  # embed what is not English beside the main engine
    ollama: RemoteEngine = field(
        default_factory=lambda: RemoteEngine("http://127.0.0.1:11434", "nomic-embed-text", 768)
    )
    openai: RemoteEngine | None = None
    llm: LlmServer | None = None  # off unless configured
    busy_timeout_seconds: float = 60.0
    background: bool = True  # start a worker for vectors owed
    worker_cores: int = 1  # processor cores that a background process may use
    stale_threshold: float = 0.0  # how large a part of the code must change before a memory about it is stale
    stale_threshold_whole: float = (
        0.3  # the same for memories about a whole file or class, of which some part always changes
    )
    links: str = "file"  # what a place in code opens in when a terminal shows it: one of LINKS, never "auto"
    learn_hold: str = "doubtful"  # which learned facts wait for approval: the doubtful ones, or "all"
    learn_on: tuple[str, ...] = ("commit", "readme", "new_file", "session")  # what is learned from without being asked
    journal: JournalSettings = field(default_factory=JournalSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    store: str = field(default="", repr=False)  # postgresql://…, maybe with a password; empty: a file for each memory
    statement_timeout_seconds: float = 120.0  # how long PostgreSQL may take for one statement
    machine: str = ""  # what this machine is called where a database is shared
    home_is_told: bool = False  # by WAYPOST_HOME: who runs later must be told too
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # API keys read from named variables

    @property
    def memory_root(self) -> Path:
        return self.home / "memory"

    @property
    def shared_machine(self) -> str:
        """The name of this machine where other machines use the same store; empty where they cannot."""
        return self.machine if self.store else ""
