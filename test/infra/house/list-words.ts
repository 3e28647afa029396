import { files, textOf } from './sources.ts';
import { findWords, say } from './words.ts';

/** `node test/infra/house/list-words.ts [PREFIX]`: lists wordings to avoid below a path, also those within budget. */
const [, , prefix = ''] = process.argv;
const texts = files.filter((file) => file.startsWith(prefix)).map((file) => [file, textOf(file)] as const);
for (const finding of findWords(new Map(texts))) process.stdout.write(`${say(finding)}\n`);
