import { runAdmin } from './run.ts';

// The store that a command may create contains secrets of its users.
process.umask(0o077);
const { code, out, err } = await runAdmin(process.argv.slice(2), process.env);
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
