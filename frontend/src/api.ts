/** What the page asks Home Assistant: the commands of custom_components/caesar/panel. */

/** The part of Home Assistant's frontend object that this page uses. */
export interface Hass {
  language: string;
  user: { id: string };
  connection: {
    sendMessagePromise<T>(message: object): Promise<T>;
    subscribeMessage<T>(
      callback: (event: T) => void,
      message: object,
    ): Promise<() => Promise<void>>;
  };
  localize(key: string, values?: Record<string, string>): string;
  loadBackendTranslation(category: string, integration: string): Promise<unknown>;
}

export interface Waiting {
  approval_id: string;
  text: string;
  tool: string;
  entities: string[];
  created_at: string;
  expires_at: string;
}

export interface Row {
  seq: number;
  when: string;
  decision_id: string;
  who: string;
  user_id: string | null;
  satellite_id: string | null;
  origin: string;
  agent: string;
  tool: string;
  action: string;
  arguments: string;
  entities: string[];
  touched: string[];
  verdict: string;
  result: string;
  worker: string | null;
  why: string;
  rule: string | null;
  line: number | null;
  line_now: boolean;
  approved_by: string;
}

export interface Filter {
  user_id?: string;
  origin?: string;
  tool?: string;
  decision_id?: string;
  refused?: boolean;
}

export interface Refusal {
  seq: number;
  when: string;
  count: number;
  action: string;
  who: string;
  why: string;
  grants: string[];
  once: boolean;
  note: string;
}

export interface Unshared {
  entity_id: string;
  name: string;
  count: number;
}

export interface Draft {
  text: string;
  before: string;
  revision: string;
  note: string;
}

export interface Policy {
  text: string;
  revision: string;
  in_force: boolean;
  denies_all: boolean;
  can_undo: boolean;
}

export interface Problem {
  line: number;
  column: number;
  path: string;
  message: string;
}

export interface Simulation {
  days: number;
  calls: number;
  changed_count: number;
  changed: {
    seq: number;
    tool: string;
    entities: string[];
    before: string;
    after: string;
    line: number | null;
  }[];
  unknown: number;
  complete: boolean;
}

export interface Explanation {
  verdict: string;
  reason: string;
  tool: string;
  rule: string | null;
  line: number | null;
  entities?: string[];
  impact?: string;
}

export interface House {
  agents: {
    title: string;
    brains: string[];
    used: { tokens: number; calls: number; cost: number | null; currency: string } | null;
  }[];
  workers: {
    name: string;
    online: boolean;
    url: string;
    version: string | null;
    tools: string[];
    changed: string[];
    more: string[];
    refused: Record<string, string>;
    error: string | null;
    last_seen: string | null;
  }[];
  people: { user_id: string; name: string }[];
}

/** A failure as Home Assistant sends it. */
interface Failure {
  message?: string;
  translation_domain?: string;
  translation_key?: string;
  translation_placeholders?: Record<string, string>;
}

/** Asks one command; `caesar/` is put before its name. */
export function ask<T>(hass: Hass, name: string, fields: object = {}): Promise<T> {
  return hass.connection.sendMessagePromise<T>({ type: `caesar/${name}`, ...fields });
}

/** Returns what went wrong in the reader's language, else in English. */
export function problem(hass: Hass, error: unknown): string {
  const failure = error as Failure;
  if (failure.translation_domain && failure.translation_key) {
    const said = hass.localize(
      `component.${failure.translation_domain}.exceptions.${failure.translation_key}.message`,
      failure.translation_placeholders,
    );
    if (said) return said;
  }
  return failure.message ?? String(error);
}
