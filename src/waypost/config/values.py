"""All settings and their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LINKS = ("file", "vscode", "vscode-insiders", "cursor", "windsurf", "zed", "idea", "none")
LEARN_ON = ("commit", "readme", "new_file", "save", "session")
LOG_FORMATS = ("text", "json")


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """An embedding server: Ollama, or one with OpenAI's `/v1/embeddings`."""

    url: str
    model: str
    dimensions: int | None = None
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class LlmServer:
    """A language model behind OpenAI's `/v1/chat/completions`: Ollama, vLLM, llama.cpp or a hosted one.

    `max_tokens_per_run` counts questions and answers. Prices are per million tokens. `max_cost_per_run` is in the
    currency of the prices.
    """

    url: str
    model: str
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 120.0  # for a whole answer
    retries: int = 2
    context_window: int = 8192  # in tokens, question plus answer
    temperature: float = 0.0
    max_tokens_per_run: int = 200_000
    input_price: float = 0.0
    output_price: float = 0.0
    max_cost_per_run: float | None = None


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """How the journal ages. Sizes are in megabytes (1024 × 1024 bytes). Exceeding one condenses the journal early."""

    timezone: str = ""  # decides when a day begins, such as Europe/Berlin; empty: the zone of this machine
    context_window: int = 128_000  # of the reading model, in tokens; memory may fill half of it
    file_limit: float = 5.0
    daily_limit: float = 20.0
    total_limit: float = 100.0
    prune_after_days: int = 90  # conversations this old are archived, unless read within `prune_unused_days`
    prune_unused_days: int = 30
    sessions: bool = True  # keep what was said in an agent's session when it ends


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `waypost serve` runs. Rates are per token, over all servers of a team."""

    log_format: str = "text"  # one of LOG_FORMATS; text: warnings and errors only, json: one line per request and event
    open_metrics: bool = False  # programs on this machine may read `/metrics` without a token
    requests_per_minute: int = 30_000
    writes_per_minute: int = 12_000  # writes also count as requests
    allowed_hosts: tuple[str, ...] = ()  # values of the Host header, with the port unless it is the default
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For and -Proto are trusted
    shutdown_seconds: float = 10.0  # for requests in flight when the server stops


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Snapshots of memories that are stored in files."""

    keep: int = 7  # daily snapshots; the same number of manual ones and of those made before a restore
    daily: bool = True  # maintenance makes one a day


@dataclass(frozen=True, slots=True)
class Settings:
    home: Path
    models: tuple[Path, ...]  # searched in order; the first is where `model install` writes
    person: str
    engine: str = "minilm"  # minilm | onnx:DIR | ollama | openai
    multilingual: bool = True  # embed text that is not English with a second model
    ollama: RemoteEngine = field(
        default_factory=lambda: RemoteEngine("http://127.0.0.1:11434", "nomic-embed-text", 768)
    )
    openai: RemoteEngine | None = None
    llm: LlmServer | None = None  # off unless configured
    busy_timeout_seconds: float = 60.0
    background: bool = True  # start a worker for pending embeddings
    worker_cores: int = 1  # cores a background process may use
    stale_threshold: float = 0.0  # part of the code that must change before a memory about it is stale
    stale_threshold_whole: float = 0.3  # the same for memories about a whole file, or a class found by its name
    count_annotations: bool = False  # changed type annotations make a memory stale
    links: str = "file"  # editor that opens code links in a terminal: one of LINKS, never "auto"
    learn_hold: str = "doubtful"  # which learned facts need review: the doubtful ones, or "all"
    learn_on: tuple[str, ...] = ("commit", "readme", "new_file", "session")  # events that Waypost learns from by itself
    journal: JournalSettings = field(default_factory=JournalSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    store: str = field(default="", repr=False)  # postgresql://…, perhaps with a password; empty: one file per memory
    statement_timeout_seconds: float = 120.0  # limit for one PostgreSQL statement
    machine: str = ""  # name of this machine in a shared database
    home_from_variable: bool = False  # set by WAYPOST_HOME, which later processes need too
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # API keys read from named variables

    @property
    def memory_root(self) -> Path:
        return self.home / "memory"

    @property
    def shared_machine(self) -> str:
        """The name of this machine if the store can be shared, else empty."""
        return self.machine if self.store else ""
