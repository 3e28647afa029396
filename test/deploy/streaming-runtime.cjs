// Loaded into each node process of the emulator: the `awslambda` global of the managed runtime. It buffers the whole
// response (the emulator returns one payload): the head as JSON, eight NULs, the body.
const { Writable } = require('node:stream');

const HEAD = Symbol('head');

class Kept extends Writable {
  chunks = [];
  _write(chunk, _encoding, done) {
    this.chunks.push(Buffer.from(chunk));
    done();
  }
}

globalThis.awslambda = {
  HttpResponseStream: {
    from(out, head) {
      out[HEAD] = head;
      return out;
    },
  },
  streamifyResponse: (handler) => (event, context) =>
    new Promise((resolve, reject) => {
      const out = new Kept();
      out.on('error', reject);
      out.on('finish', () => {
        const head = out[HEAD] ? JSON.stringify(out[HEAD]) + '\0'.repeat(8) : '';
        resolve(head + Buffer.concat(out.chunks).toString('utf8'));
      });
      Promise.resolve(handler(event, out, context)).catch(reject);
    }),
};
