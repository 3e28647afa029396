type Created = { check?: string; channel?: string };

/** Parses the progress: `?check=chk_1&channel=cha_1`. A channel without a check is ignored. */
export function readStart(query: URLSearchParams): Created {
  const [check, channel] = [query.get('check'), query.get('channel')];
  return check ? { check, ...(channel && { channel }) } : {};
}
