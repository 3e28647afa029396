/** The address of one server as NATS_URL has it, `nats://` left out or not; null when it is none. */
export function natsUrl(text: string): URL | null {
  const url = text.trim();
  return URL.parse(url.includes('://') ? url : `nats://${url}`);
}
