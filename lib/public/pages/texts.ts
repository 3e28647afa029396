import type { Language } from './status-page.ts';
import type { ComponentState, IncidentStatus, PageState } from './view.ts';

/** Fixed texts of a page in one language. `{…}` are replaced. */
type Texts = {
  page: Record<PageState, string>;
  component: Record<ComponentState, string>;
  status: Record<IncidentStatus, string>;
  as_of: string;
  old: string;
  changed: string;
  reload: string;
  history: string;
  feed: string;
  calendar: string;
  current: string;
  support: string;
  components: string;
  maintenance: string;
  incidents: string;
  none: string;
  uptime: string;
  monitored: string;
  latency: string;
  days: string;
  day_count: string;
  down_for: string;
  events: string;
  date: string;
  state: string;
  from_to: string;
  running: string;
  scheduled: string;
  edited: string;
  unavailable: string;
  impaired: string;
  notice: string;
  is_down: string;
  is_impaired: string;
  was_down: string;
  was_impaired: string;
  today: string;
  not_found: string;
  not_found_hint: string;
};

const en: Texts = {
  page: {
    operational: 'All systems operational',
    unknown: 'State partly unknown',
    maintenance: 'Maintenance in progress',
    degraded: 'Degraded performance',
    partial_outage: 'Partial outage',
    major_outage: 'Major outage',
  },
  component: {
    operational: 'Operational',
    unknown: 'Unknown',
    maintenance: 'Maintenance',
    degraded: 'Degraded',
    outage: 'Outage',
  },
  status: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  as_of: 'As of {time}',
  old: 'This page is not up to date. Its data is from {time}.',
  changed: 'The state has changed.',
  reload: 'Reload',
  history: 'Incident history',
  feed: 'Feed',
  calendar: 'Maintenance calendar',
  current: 'Current state',
  support: 'Support',
  components: 'Components',
  maintenance: 'Maintenance',
  incidents: 'Incidents of the last 14 days',
  none: 'No incidents.',
  uptime: '{percent} uptime in {days} days',
  monitored: '{percent} of the time monitored',
  latency: 'Latency in 24 hours: median {p50} ms, 95th percentile {p95} ms',
  days: '{name}, last {days} days: {counts}',
  day_count: '{count} {state}',
  down_for: 'down for {duration}',
  events: 'Days with events',
  date: 'Date',
  state: 'State',
  from_to: '{from} to {to}',
  running: 'Running',
  scheduled: 'Scheduled maintenance',
  edited: 'edited {time}',
  unavailable: '{name}: outage',
  impaired: '{name}: degraded performance',
  notice: '{name}: notice',
  is_down: '{name} has been down since {time}.',
  is_impaired: '{name} has had problems since {time}.',
  was_down: '{name} was down for {duration}.',
  was_impaired: '{name} had problems for {duration}.',
  today: 'Today',
  not_found: 'This page does not exist',
  not_found_hint: 'Check the address, or ask its owner for the current one.',
};

const de: Texts = {
  page: {
    operational: 'Alle Systeme funktionieren',
    unknown: 'Zustand teilweise unbekannt',
    maintenance: 'Wartung läuft',
    degraded: 'Eingeschränkter Betrieb',
    partial_outage: 'Teilweiser Ausfall',
    major_outage: 'Schwerwiegender Ausfall',
  },
  component: {
    operational: 'In Betrieb',
    unknown: 'Unbekannt',
    maintenance: 'Wartung',
    degraded: 'Eingeschränkt',
    outage: 'Ausfall',
  },
  status: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  as_of: 'Stand: {time}',
  old: 'Diese Seite ist nicht aktuell. Die Daten sind von {time}.',
  changed: 'Der Zustand hat sich geändert.',
  reload: 'Neu laden',
  history: 'Störungsverlauf',
  feed: 'Feed',
  calendar: 'Wartungskalender',
  current: 'Aktueller Zustand',
  support: 'Support',
  components: 'Komponenten',
  maintenance: 'Wartung',
  incidents: 'Störungen der letzten 14 Tage',
  none: 'Keine Störungen.',
  uptime: '{percent} Verfügbarkeit in {days} Tagen',
  monitored: '{percent} der Zeit überwacht',
  latency: 'Antwortzeit in 24 Stunden: Median {p50} ms, 95. Perzentil {p95} ms',
  days: '{name}, letzte {days} Tage: {counts}',
  day_count: '{count} {state}',
  down_for: '{duration} ausgefallen',
  events: 'Tage mit Ereignissen',
  date: 'Datum',
  state: 'Zustand',
  from_to: '{from} bis {to}',
  running: 'Läuft',
  scheduled: 'Geplante Wartung',
  edited: 'bearbeitet {time}',
  unavailable: '{name}: Ausfall',
  impaired: '{name}: eingeschränkter Betrieb',
  notice: '{name}: Hinweis',
  is_down: '{name} ist seit {time} ausgefallen.',
  is_impaired: '{name} ist seit {time} gestört.',
  was_down: '{name} war {duration} ausgefallen.',
  was_impaired: '{name} war {duration} gestört.',
  today: 'Heute',
  not_found: 'Diese Seite existiert nicht',
  not_found_hint: 'Prüfen Sie die Adresse, oder fragen Sie nach der aktuellen.',
};

const fr: Texts = {
  page: {
    operational: 'Tous les systèmes sont opérationnels',
    unknown: 'État partiellement inconnu',
    maintenance: 'Maintenance en cours',
    degraded: 'Performances dégradées',
    partial_outage: 'Panne partielle',
    major_outage: 'Panne majeure',
  },
  component: {
    operational: 'Opérationnel',
    unknown: 'Inconnu',
    maintenance: 'Maintenance',
    degraded: 'Dégradé',
    outage: 'Panne',
  },
  status: {
    investigating: 'En cours d’analyse',
    identified: 'Cause identifiée',
    monitoring: 'Sous surveillance',
    resolved: 'Résolu',
  },
  as_of: 'Situation au {time}',
  old: 'Cette page n’est pas à jour. Ses données datent du {time}.',
  changed: 'L’état a changé.',
  reload: 'Recharger',
  history: 'Historique des incidents',
  feed: 'Flux',
  calendar: 'Calendrier de maintenance',
  current: 'État actuel',
  support: 'Assistance',
  components: 'Composants',
  maintenance: 'Maintenance',
  incidents: 'Incidents des 14 derniers jours',
  none: 'Aucun incident.',
  uptime: '{percent} de disponibilité sur {days} jours',
  monitored: '{percent} du temps surveillé',
  latency: 'Temps de réponse sur 24 heures : médiane {p50} ms, 95e centile {p95} ms',
  days: '{name}, {days} derniers jours : {counts}',
  day_count: '{count} {state}',
  down_for: 'en panne pendant {duration}',
  events: 'Jours avec événements',
  date: 'Date',
  state: 'État',
  from_to: 'du {from} au {to}',
  running: 'En cours',
  scheduled: 'Maintenance planifiée',
  edited: 'modifié le {time}',
  unavailable: '{name} : panne',
  impaired: '{name} : performances dégradées',
  notice: '{name} : information',
  is_down: '{name} est en panne depuis {time}.',
  is_impaired: '{name} a des problèmes depuis {time}.',
  was_down: '{name} a été en panne pendant {duration}.',
  was_impaired: '{name} a eu des problèmes pendant {duration}.',
  today: 'Aujourd’hui',
  not_found: 'Cette page n’existe pas',
  not_found_hint: 'Vérifiez l’adresse, ou demandez l’adresse actuelle.',
};

const es: Texts = {
  page: {
    operational: 'Todos los sistemas funcionan',
    unknown: 'Estado parcialmente desconocido',
    maintenance: 'Mantenimiento en curso',
    degraded: 'Rendimiento degradado',
    partial_outage: 'Interrupción parcial',
    major_outage: 'Interrupción grave',
  },
  component: {
    operational: 'Operativo',
    unknown: 'Desconocido',
    maintenance: 'Mantenimiento',
    degraded: 'Degradado',
    outage: 'Interrupción',
  },
  status: {
    investigating: 'En investigación',
    identified: 'Causa identificada',
    monitoring: 'En observación',
    resolved: 'Resuelto',
  },
  as_of: 'Datos de {time}',
  old: 'Esta página no está actualizada. Los datos son de {time}.',
  changed: 'El estado ha cambiado.',
  reload: 'Recargar',
  history: 'Historial de incidentes',
  feed: 'Feed',
  calendar: 'Calendario de mantenimiento',
  current: 'Estado actual',
  support: 'Soporte',
  components: 'Componentes',
  maintenance: 'Mantenimiento',
  incidents: 'Incidentes de los últimos 14 días',
  none: 'Sin incidentes.',
  uptime: '{percent} de disponibilidad en {days} días',
  monitored: '{percent} del tiempo supervisado',
  latency: 'Tiempo de respuesta en 24 horas: mediana {p50} ms, percentil 95 {p95} ms',
  days: '{name}, últimos {days} días: {counts}',
  day_count: '{count} {state}',
  down_for: 'interrumpido durante {duration}',
  events: 'Días con eventos',
  date: 'Fecha',
  state: 'Estado',
  from_to: 'del {from} al {to}',
  running: 'En curso',
  scheduled: 'Mantenimiento programado',
  edited: 'editado el {time}',
  unavailable: '{name}: interrupción',
  impaired: '{name}: rendimiento degradado',
  notice: '{name}: aviso',
  is_down: '{name} está interrumpido desde las {time}.',
  is_impaired: '{name} tiene problemas desde las {time}.',
  was_down: '{name} estuvo interrumpido durante {duration}.',
  was_impaired: '{name} tuvo problemas durante {duration}.',
  today: 'Hoy',
  not_found: 'Esta página no existe',
  not_found_hint: 'Compruebe la dirección, o pida la actual.',
};

export const TEXTS: Record<Language, Texts> = { en, de, fr, es };

/** Replaces each `{name}` in a text with its value. Pure. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

export function formatsOf(language: Language, timeZone: string) {
  const time = new Intl.DateTimeFormat(language, {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  const clock = new Intl.DateTimeFormat(language, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  const date = new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'medium' });
  const month = new Intl.DateTimeFormat(language, { timeZone, month: 'long', year: 'numeric' });
  return {
    time: (at: string) => time.format(new Date(at)),
    clock: (at: string) => clock.format(new Date(at)),
    /** @param day date in UTC, such as 2026-11-21 */
    date: (day: string) => date.format(new Date(day)),
    month: (at: string) => month.format(new Date(at)),
    /** Formats seconds in the largest fitting unit, and the next one if it is not zero. */
    duration: (seconds: number) => {
      const first = Math.max(
        0,
        UNITS.findIndex(([, length]) => seconds >= length),
      );
      const [[unit, length], next] = [UNITS[seconds < 1 ? 3 : first]!, UNITS[seconds < 1 ? 4 : first + 1]];
      const count = Math.floor(seconds / length);
      const rest = next ? Math.floor((seconds - count * length) / next[1]) : 0;
      const parts = [inUnit(count, unit), ...(next && rest > 0 ? [inUnit(rest, next[0])] : [])];
      return parts.join(' ');
    },
    /** Formats a ratio in percent, truncated to two decimals, so that only a ratio of 1 is 100 %. */
    percent: (ratio: number) => {
      const hundredths = Math.floor(ratio * 10_000 + 1e-6);
      const digits = hundredths === 10_000 ? 0 : 2;
      return new Intl.NumberFormat(language, {
        style: 'percent',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }).format(hundredths / 10_000);
    },
  };

  function inUnit(count: number, unit: string): string {
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  }
}

export type Formats = ReturnType<typeof formatsOf>;
