// What sort keys begin with; lib/KEYS.md says what stands under each.

/** Sort-key prefixes of what lies under a check. */
export const RESULTS = 'R#';
/** Starts and log entries of runs, the bodies of pings, and the addresses that a push check is pinged at. */
export const PINGS = 'P#';
export const PING_BODIES = 'B#';
export const PING_URLS = 'URL#';
export const TRANSITIONS = 'TR#';
export const ALERTS = 'AL#';
export const HOLDS = 'HOLD#';
export const REVISIONS = 'REV#';
export const CHECK_SLUGS = 'SLUG#';
/** Sort-key prefix of the relations that start at an entity. */
export const RELATED_OUT = 'OUT#';
/** Sort-key prefixes of the checks of a cell, and of a tenant's cells: each one, and those that have room. */
export const CHECKS = 'CHECK#';
export const CELLS = 'CELL#';
export const ROOMS = 'ROOM#';
/** Sort-key prefixes of a cell's rollups, and of the latencies that belong to each. */
export const ROLLUPS = { hour: 'H#', day: 'D#' };
export const LATENCIES = { hour: 'HL#', day: 'DL#' };
/** Actions that its transitions may fire. */
export const BOUND_ACTIONS = 'ACTION#';

/** Sort-key prefixes of what the account's alerting has beside its head. */
export const ACCOUNT_CHANNELS = 'CHANNEL#';
export const SILENCES = 'SILENCE#';
export const WINDOWS = 'WINDOW#';

/** Sort-key prefix of a tenant's skills beside their count. */
export const SKILLS = 'SKILL#';

/** Sort-key prefixes of a tenant's actions beside their count, and of what was reported on an execution. */
export const ACTIONS = 'act_';
export const LOG_LINES = 'LOG#';

/** Sort-key prefixes of what lies under an incident: the entities that are part of it, and its timeline. */
export const INCIDENT_ENTITIES = 'E#';
export const INCIDENT_ENTRIES = 'L#';
