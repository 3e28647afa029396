import { buildConsole } from '#lib/console/build.ts';

// Built while this module is loaded, as what makes the bundles waits for nothing.
const files = await buildConsole();

/** A module in place of lib/console/files.ts: the files as they are now, and nothing that builds them. */
export const packedConsole = (): string => `export const consoleFiles = async () => (${JSON.stringify(files)});\n`;
