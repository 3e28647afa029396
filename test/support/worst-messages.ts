/** A body for MCP, or for a skill, and its name. */
export type WorstMessage = { name: string; text: string; headers?: Record<string, string> };

/** Argument schemas that are the most expensive for their size, each with arguments of high cost. */
const SCHEMAS: Record<string, { inputSchema: object; given: object }> = {
  lengths: {
    inputSchema: {
      type: 'object',
      additionalProperties: { anyOf: Array.from({ length: 195 }, (_, i) => ({ type: 'string', minLength: 9999 + i })) },
    },
    given: Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`k${i}`, ''])),
  },
  uniques: {
    inputSchema: {
      type: 'object',
      additionalProperties: { allOf: Array.from({ length: 190 }, () => ({ uniqueItems: true })) },
    },
    given: Object.fromEntries(
      Array.from({ length: 4 }, (_, i) => [`k${i}`, Array.from({ length: 100 }, (_, j) => [j])]),
    ),
  },
  multiples: {
    inputSchema: {
      type: 'object',
      additionalProperties: { allOf: Array.from({ length: 150 }, () => ({ multipleOf: 1e-300 })) },
    },
    given: Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, 1.7e308])),
  },
  choices: {
    inputSchema: {
      type: 'object',
      additionalProperties: { anyOf: [{ enum: Array.from({ length: 3000 }, (_, i) => [i]) }, true] },
    },
    given: Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`k${i}`, [-1]])),
  },
  'required names': {
    inputSchema: {
      type: 'object',
      additionalProperties: { anyOf: [{ required: Array.from({ length: 2500 }, (_, i) => `n${i}`) }, true] },
    },
    given: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, {}])),
  },
  properties: {
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 190 }, (_, i) => [`p${i}`, { type: 'string', description: 'x' }]),
      ),
    },
    given: Object.fromEntries(Array.from({ length: 190 }, (_, i) => [`p${i}`, 'x'])),
  },
  'nested items': {
    inputSchema: {
      type: 'object',
      properties: {
        a: { items: { items: { allOf: Array.from({ length: 190 }, () => ({ minimum: 0 })) } } },
      },
    },
    given: { a: Array.from({ length: 9 }, () => Array.from({ length: 100 }, () => 1)) },
  },
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const named = (count: number, make: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, make(i)]));

/** Returns as many tools of one schema as a skill can have. */
function toolsOf(inputSchema: object, action_id?: string): object[] {
  const tool = (i: number) => ({ name: `t${i}`, inputSchema, ...(action_id && { action_id }) });
  const count = Math.max(1, Math.min(100, Math.floor(63_000 / (bytesOf(tool(99)) + 1))));
  return Array.from({ length: count }, (_, i) => tool(i));
}

/** Yields skills whose tools `worstMessages` calls, and skills that are always rejected. */
export function* worstSkills(action_id: string): Generator<WorstMessage> {
  for (const [name, { inputSchema }] of Object.entries(SCHEMAS)) {
    const slug = name.replaceAll(' ', '-');
    const tools = [{ name: slug, inputSchema, action_id }];
    yield { name: `a schema of ${name}`, text: JSON.stringify({ slug, name, tools }) };
    const many = toolsOf(inputSchema);
    yield { name: `many schemas of ${name}`, text: JSON.stringify({ slug: `many-${slug}`, name, tools: many }) };
  }
  const rejected: Record<string, object> = {
    'many unknown keywords': named(1200, () => ({})),
    'many rejected keywords': {
      allOf: Array.from({ length: 190 }, () => ({ $ref: '#', pattern: '.', 'x-mcp-header': 1 })),
    },
    'many booleans': { properties: named(1500, () => true) },
    'a long anchor': { $anchor: 'ä'.repeat(7000) },
    'many anchors': { properties: named(150, (i) => ({ $anchor: `a${i}${'%41'.repeat(15)}` })) },
    'many ids': { properties: named(150, (i) => ({ $id: `http://example.com/${'a'.repeat(30)}${i}` })) },
    'long property names': { properties: named(7, () => ({})), required: ['x'.repeat(15_000)] },
  };
  for (const [name, more] of Object.entries(rejected)) {
    const tools = toolsOf({ type: 'object', ...more });
    yield { name, text: JSON.stringify({ slug: 'refused', name, tools }) };
  }
  const wide = (tool: (i: number) => unknown, count: number) =>
    JSON.stringify({ slug: 'wide', name: 'Wide', tools: Array.from({ length: count }, (_, i) => tool(i)) });
  yield { name: 'seven thousand tools', text: wide((i) => ({ name: `t${i}`, inputSchema: {} }), 7000) };
  yield {
    name: 'tools of many numbers',
    text: wide(() => ({ inputSchema: { type: 'object', enum: Array(100).fill(0) } }), 900),
  };
  yield {
    name: 'tools of wrong schemas',
    text: wide((i) => ({ name: `t${i}`, inputSchema: { allOf: Array(900).fill(0) } }), 100),
  };
}

let ids = 0;
const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: ++ids, method, params });

const METHODS = ['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'nothing'];

/** Yields messages of every method with every kind of params, single and in the largest batch that fits into 256 KB. */
export function* worstMessages(): Generator<WorstMessage> {
  const filler = 'x'.repeat(240_000);
  for (const method of METHODS) {
    yield {
      name: `${method} with a long text`,
      text: JSON.stringify(request(method, { name: filler, cursor: filler })),
    };
    const map = named(9000, () => ({ a: [0] }));
    yield {
      name: `${method} with a wide map`,
      text: JSON.stringify(request(method, { name: 'get_entity', arguments: map, cursor: map, protocolVersion: map })),
    };
    for (const count of [10, 50]) {
      const batch = Array.from({ length: count }, () => request(method, { name: 'x', arguments: {} }));
      yield { name: `a batch of ${count} ${method}`, text: JSON.stringify(batch) };
    }
  }
  const tools = [
    'get_status_summary',
    'list_entities',
    'get_entity',
    'list_blueprints',
    'list_incidents',
    'get_check_results',
    'explain_alert',
    'get_history',
    'get_execution',
    'create_check',
  ];
  for (const name of tools) {
    for (const given of [
      named(20_000, () => 0),
      { blueprint_slug: filler },
      { execution_id: filler },
      { entity_id: filler, target_url: filler },
    ]) {
      const text = JSON.stringify(request('tools/call', { name, arguments: given }));
      if (text.length < 255_000) yield { name: `${name} with odd arguments`, text };
    }
  }
  for (const [name, { given }] of Object.entries(SCHEMAS)) {
    const call = () => request('tools/call', { name: name.replaceAll(' ', '-'), arguments: given });
    yield { name: `arguments against ${name}`, text: JSON.stringify(call()) };
    for (const share of [4, 16, 64]) {
      const entries = Object.entries(given);
      const some = Object.fromEntries(entries.slice(0, Math.ceil(entries.length / share)));
      const text = JSON.stringify(request('tools/call', { name: name.replaceAll(' ', '-'), arguments: some }));
      yield { name: `a ${share}th of the arguments against ${name}`, text };
    }
    for (const most of [10, 50]) {
      const count = Math.min(most, Math.floor(250_000 / (bytesOf(call()) + 1)));
      const batch = Array.from({ length: count }, call);
      yield { name: `a batch of ${count} against ${name}`, text: JSON.stringify(batch) };
    }
  }
  yield { name: 'a batch of empty objects', text: JSON.stringify(Array.from({ length: 60_000 }, () => ({}))) };
  yield { name: 'a deep message', text: `{"jsonrpc":"2.0","params":${'['.repeat(120_000)}${']'.repeat(120_000)}}` };
}
