import type { Attack } from '#test/abuse/attack.ts';
import { alertFlood } from './alert-flood.ts';
import { amplification } from './amplification.ts';
import { chunks } from './chunks.ts';
import { dhe } from './dhe.ts';
import { everyClass } from './every-class.ts';
import {
  checkExpressions,
  largeDocuments,
  pingExpressions,
  refusedExpressions,
  websocketExpressions,
} from './expressions.ts';
import { flappingGraph } from './flapping-graph.ts';
import { hangingActions } from './hanging-actions.ts';
import { hangingReceivers } from './hanging-receivers.ts';
import { mail } from './mail.ts';
import { mcpBatch } from './mcp-batch.ts';
import { notes } from './notes.ts';
import { relay } from './relay.ts';
import { silentUploads } from './silent-uploads.ts';
import { slowChecks } from './slow-checks.ts';
import { slowReaders } from './slow-readers.ts';

/** Attacks by name. */
export const attacks: Record<string, Attack> = {
  'chunks-12': chunks(12, { searched: false }),
  'chunks-250': chunks(250, { searched: true }),
  'slow-60': slowChecks(60),
  'slow-150': slowChecks(150),
  'hanging-receivers': hangingReceivers,
  'hanging-actions': hangingActions,
  'mcp-batch': mcpBatch,
  'alert-flood': alertFlood,
  'flapping-graph': flappingGraph,
  dhe,
  notes,
  mail,
  relay,
  amplification,
  'every-class': everyClass,
  'silent-uploads': silentUploads,
  'slow-readers': slowReaders((index) => (index % 10 === 0 ? 4 : 1)),
  'check-expressions': checkExpressions,
  'ping-expressions': pingExpressions,
  'websocket-expressions': websocketExpressions,
  'refused-expressions': refusedExpressions,
  'large-documents': largeDocuments,
  'list-flood': slowReaders(() => 4),
};
