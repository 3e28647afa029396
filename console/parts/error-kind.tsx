/** Badge of an error kind, such as `missed heartbeat`; nothing without one. */
export const ErrorKind = ({ kind }: { kind: string | null }) =>
  kind && <span class="tag error-kind">{kind.replaceAll('_', ' ')}</span>;
