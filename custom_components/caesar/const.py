"""Names and numbers that the edge of CAESAR shares. No logic, no imports of ours.

`entry.data` holds `CONF_PROVIDER`, `CONF_STARTER_POLICY`, for a provider with an account
`CONF_API_KEY`, for a server `CONF_URL`, `CONF_MODEL` (what a new agent starts with) and
`CONF_API_KEY` if it wants one, and for the family policy `CONF_CHILDRENS_ROOMS`. The data of a subentry of type `SUBENTRY_CONVERSATION` is flat
and holds every key of `AGENT_DEFAULTS`; the agent's name is the subentry's title.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

DOMAIN: Final = "caesar"
DEFAULT_TITLE: Final = "CAESAR"

# Below Home Assistant's configuration folder, where an update of the integration
# does not reach.
DATA_FOLDER: Final = "caesar"
POLICY_FILE: Final = "policy.yaml"
DATABASE_FILE: Final = "caesar.db"

CONF_PROVIDER: Final = "provider"
CONF_API_KEY: Final = "api_key"
CONF_STARTER_POLICY: Final = "starter_policy"
# With the family policy: the ids of the areas that are children's rooms.
CONF_CHILDRENS_ROOMS: Final = "childrens_rooms"
# An option of the entry: how far the tools of automations go (a ToolScope's value).
CONF_AUTOMATION_TOOLS: Final = "automation_tools"
DEFAULT_AUTOMATION_TOOLS: Final = "read"
# An option of the entry: what the voice assistants that go through CAESAR had before, by
# the pipeline's id. The field of the forms of the same name is a list of these ids.
CONF_ASSISTANTS: Final = "assistants"
# Which of them are still to be given, as CAESAR didn't start when it was set up.
CONF_PROMISED: Final = "assistants_promised"
# The field of the form; what was chosen is kept as CONF_STARTER_POLICY.
CONF_POLICY: Final = "policy"


class ProviderKind(StrEnum):
    """Who thinks."""

    BUILTIN = "builtin"
    ANTHROPIC = "anthropic"
    OPENAI_COMPATIBLE = "openai_compatible"
    OLLAMA = "ollama"


class StarterPolicy(StrEnum):
    """The policies one can start from; each is a file in `starters/`.

    The chosen one is written only where there is no policy file yet.
    """

    EVERYDAY = "everyday"
    FAMILY = "family"
    GUEST = "guest"
    READ_ONLY = "read_only"
    EMPTY = "empty"


SUBENTRY_CONVERSATION: Final = "conversation"
# A further model, for agents whose first one fails: CONF_PROVIDER, CONF_MODEL, what its
# kind needs of CONF_API_KEY and CONF_URL, and CONF_PATIENCE if somebody set it. Its name
# is the subentry's title.
SUBENTRY_MODEL: Final = "model"
# A task entity, named like core's: CONF_MODEL (of the house's provider) or CONF_MODEL_ID
# (a model subentry's), and CONF_MAX_TOKENS. Its name is the title.
SUBENTRY_AI_TASK: Final = "ai_task_data"
CONF_MODEL_ID: Final = "model_id"
DEFAULT_TASK_TOKENS: Final = 2048
# A worker on another host, and the settings of two of the local worker's tools.
SUBENTRY_WORKER: Final = "worker"
SUBENTRY_WEB_SEARCH: Final = "web_search"
SUBENTRY_CALENDAR: Final = "calendar_read"
# How the past is found again: CONF_BACKEND is a RecallBackend's value; for a server with
# CONF_URL, CONF_MODEL and, if it wants one, CONF_API_KEY. Without it by words.
SUBENTRY_RECALL: Final = "recall"

# Of a worker: its base address and key, its tools as they were pinned ({name: spec as
# JSON}), and which of their harmless properties a person confirmed ({name: [names of
# annotations]}). Its name is the subentry's title, its key the unique id.
CONF_URL: Final = "url"
CONF_PUBLIC_KEY: Final = "public_key"
CONF_TOOLS: Final = "tools"
CONF_CONFIRMED: Final = "confirmed"
# Of web_search: a SearchBackend's value, with CONF_URL or CONF_API_KEY.
CONF_BACKEND: Final = "backend"
# Of calendar_read, with CONF_URL: the account, and the names of the calendars to read
# (none: all of them).
CONF_USERNAME: Final = "username"
CONF_PASSWORD: Final = "password"
CONF_CALENDARS: Final = "calendars"


class RecallBackend(StrEnum):
    """How the past is found again."""

    OFF = "off"
    WORDS = "words"
    WORDLLAMA = "wordllama"
    OLLAMA = "ollama"
    OPENAI = "openai"


class SearchBackend(StrEnum):
    """Who searches the web."""

    SEARXNG = "searxng"
    BRAVE = "brave"
    TAVILY = "tavily"


CONF_NAME: Final = "name"
CONF_PERSONA_NAME: Final = "persona_name"
CONF_PERSONA_TONE: Final = "persona_tone"
CONF_PROMPT: Final = "prompt"
# Of an agent: its answers hold no markup on a screen either.
CONF_SPEAKABLE: Final = "speakable"
CONF_BRAIN: Final = "brain"
CONF_MODEL: Final = "model"
CONF_MAX_ITERATIONS: Final = "max_iterations"
CONF_MAX_TOKENS: Final = "max_tokens"
# Of an agent: the ids of the model subentries that are asked after its own, in order.
CONF_CHAIN: Final = "chain"
# How many seconds a model has for the first piece of an answer, where another can take
# over: of a model's subentry, and of an agent for its own model.
CONF_PATIENCE: Final = "patience"
# Of a model, all optional: how hard it thinks (a Think's value), how long Anthropic keeps
# a prompt, Ollama's context in tokens, and how long its model stays loaded.
CONF_THINK: Final = "think"
CONF_CACHE_TTL: Final = "cache_ttl"
CONF_NUM_CTX: Final = "num_ctx"
CONF_KEEP_ALIVE: Final = "keep_alive"
# Of an agent, tokens a UTC day; the stricter of it and the policy holds.
CONF_DAILY_TOKEN_LIMIT: Final = "daily_token_limit"
# Of a model: what a million tokens of each kind cost, in the house's currency
# ({"input", "output", "cache_read", "cache_write"}, those that were typed).
CONF_PRICES: Final = "prices"
DAILY_TOKEN_LIMIT_MIN: Final = 1_000
DAILY_TOKEN_LIMIT_MAX: Final = 1_000_000_000

# Parts of the agent's form that are folded away; never kept.
SECTION_PERSONA: Final = "persona"
SECTION_LIMITS: Final = "limits"
SECTION_CHAIN: Final = "further_models"
SECTION_OPTIONS: Final = "model_options"
SECTION_PRICES: Final = "model_prices"


class Brain(StrEnum):
    """Who answers for an agent. Without a model, all of them mean BUILTIN."""

    BUILTIN = "builtin"
    BUILTIN_FIRST = "builtin_first"
    MODEL = "model"


class Tone(StrEnum):
    """How an agent with a model speaks."""

    PLAIN = "plain"
    WARM = "warm"
    FORMAL = "formal"
    DRY = "dry"


DEFAULT_MODEL: Final = "claude-haiku-4-5"
# Offered in the form; any other id can be typed.
MODELS: Final = (
    "claude-haiku-4-5",
    "claude-sonnet-5",
    "claude-opus-5",
)
# A computer at home may have to load its model first.
DEFAULT_PATIENCE: Final = MappingProxyType(
    {
        ProviderKind.ANTHROPIC: 20,
        ProviderKind.OPENAI_COMPATIBLE: 30,
        ProviderKind.OLLAMA: 60,
    }
)
PATIENCE_MIN: Final = 3
PATIENCE_MAX: Final = 120
MAX_ITERATIONS_MIN: Final = 1
MAX_ITERATIONS_MAX: Final = 25
DEFAULT_MAX_ITERATIONS: Final = 5
MAX_TOKENS_MIN: Final = 256
MAX_TOKENS_MAX: Final = 8192
DEFAULT_MAX_TOKENS: Final = 1024
PROMPT_MAX_LENGTH: Final = 10_000

AGENT_DEFAULTS: Final = MappingProxyType(
    {
        CONF_BRAIN: Brain.BUILTIN_FIRST.value,
        CONF_MODEL: DEFAULT_MODEL,
        CONF_PERSONA_NAME: "",
        CONF_PERSONA_TONE: Tone.PLAIN.value,
        CONF_SPEAKABLE: False,
        CONF_PROMPT: "",
        CONF_MAX_ITERATIONS: DEFAULT_MAX_ITERATIONS,
        CONF_MAX_TOKENS: DEFAULT_MAX_TOKENS,
    }
)

# Events on Home Assistant's bus.
EVENT_TOOL_CALLED: Final = "caesar_tool_called"
EVENT_TOOL_FAILED: Final = "caesar_tool_failed"
EVENT_TOOL_DENIED: Final = "caesar_tool_denied"
EVENT_APPROVAL_REQUESTED: Final = "caesar_approval_requested"
# CAESAR's page of what happened, as a device links to it.
TRAIL_URL: Final = f"homeassistant://{DOMAIN}/trail"
EVENT_APPROVAL_DECIDED: Final = "caesar_approval_decided"

# Actions, and the fields of their calls.
ACTION_APPROVE: Final = "approve"
ACTION_ASK: Final = "ask"
ACTION_CALL_TOOL: Final = "call_tool"
ACTION_EXPLAIN: Final = "explain"
ACTION_DENY: Final = "deny"
ACTION_EXPORT_AUDIT: Final = "export_audit"
ACTION_FORGET: Final = "forget"
ACTION_PENDING: Final = "pending"
ACTION_RELOAD_POLICY: Final = "reload_policy"
ACTION_SIMULATE: Final = "simulate"
ACTION_VERIFY_AUDIT: Final = "verify_audit"
ATTR_AGENT: Final = "agent"
ATTR_APPROVAL_ID: Final = "approval_id"
ATTR_ARGUMENTS: Final = "arguments"
ATTR_AUTOMATION: Final = "automation"
ATTR_CONVERSATION_ID: Final = "conversation_id"
ATTR_DAYS: Final = "days"
ATTR_DECISION_ID: Final = "decision_id"
ATTR_LANGUAGE: Final = "language"
ATTR_POLICY: Final = "policy"
ATTR_SATELLITE: Final = "satellite"
ATTR_SCOPE: Final = "scope"
ATTR_TEXT: Final = "text"
ATTR_TOOL: Final = "tool"
ATTR_TOOLS: Final = "tools"
ATTR_TRUSTED: Final = "trusted"
ATTR_USER: Final = "user"
