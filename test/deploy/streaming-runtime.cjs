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

// The CDK function that empties a bucket needs this client, which the managed runtime has and the emulator lacks.
const Module = require('node:module');

const bucketUrl = (bucket, rest = '') => `${process.env.AWS_ENDPOINT_URL}/${bucket}${rest}`;

class S3 {
  async getBucketTagging() {
    return { TagSet: [{ Key: 'aws-cdk:auto-delete-objects', Value: 'true' }] };
  }
  async listObjectVersions({ Bucket }) {
    const text = await (await fetch(bucketUrl(Bucket))).text();
    return { Versions: [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, Key]) => ({ Key })) };
  }
  async deleteObjects({ Bucket, Delete }) {
    for (const { Key } of Delete.Objects) await fetch(bucketUrl(Bucket, `/${Key}`), { method: 'DELETE' });
  }
  async getBucketPolicy() {
    return {};
  }
  async putBucketPolicy() {}
}

const load = Module._load;
Module._load = (id, ...more) => (id === '@aws-sdk/client-s3' ? { S3 } : load(id, ...more));

// Its response to CloudFormation goes to the emulator, which has no TLS.
const http = require('node:http');
const https = require('node:https');
const emulator = new URL(process.env.AWS_ENDPOINT_URL ?? 'http://127.0.0.1');
const secure = https.request;
https.request = (options, ...more) =>
  options.hostname === emulator.hostname
    ? http.request({ ...options, port: emulator.port }, ...more)
    : secure(options, ...more);
