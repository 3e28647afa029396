import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { promises } from '#test/oracle/promises.ts';
import { parseFault, plant, plantedFaults, serviceFiles } from './planted-fault.ts';

const faults = plantedFaults();
const service = serviceFiles('.');

/** `npm run test:nightly -- planted` plants them and simulates until each is found, which takes minutes. */
describe('a planted fault', () => {
  it.each(faults)('matches code of the service, and leaves code without syntax errors: $name', (fault) => {
    const { file, text } = plant(fault, service);
    expect(text).not.toBe(service.get(file));
    expect(() => transformSync(text, { loader: 'ts' })).not.toThrow();
  });

  it.each(faults)('names the promise that it breaks: $name', ({ foundBy }) => {
    expect(Object.keys(promises)).toContain(foundBy);
  });

  it.each(faults)('matches after reformatting, with other comments: $name', (fault) => {
    const { file } = plant(fault, service);
    const reformatted = service.get(file)!.replaceAll(/\n +(?![ *])/g, '\n    // said otherwise\n\n      ');
    expect(plant(fault, new Map([[file, reformatted]])).file).toBe(file);
  });

  const fault = parseFault('any.patch', 'It is wrong.\n\nfound by: slots\nin: due\n\n- $a < limit\n+ $a <= limit\n');
  const plantIn = (files: Record<string, string>) => () => plant(fault, new Map(Object.entries(files)));

  it('is planted everywhere in its function and nowhere else', () => {
    const text = 'const due = (at: number) => at < limit || [at < limit];\nexport const late = at < limit;\n';
    const planted = 'const due = (at: number) => at <= limit || [at <= limit];\nexport const late = at < limit;\n';
    expect(plantIn({ 'a.ts': text })()).toEqual({ file: 'a.ts', text: planted });
  });

  it.each([
    ['the function is gone', { 'a.ts': 'const late = at < limit;' }, /any\.patch: the service has no due any more/],
    ['the code has changed', { 'a.ts': 'const due = limit > at;' }, /any\.patch: due \(a\.ts\) no longer has/],
    [
      'there are two such functions',
      { 'a.ts': 'const due = at < limit;', 'b.ts': 'const due = at < limit;' },
      /any\.patch: more than one due has it: a\.ts, b\.ts/,
    ],
  ])('is rejected when %s', (_, files: Record<string, string>, message) => {
    expect(plantIn(files)).toThrow(message);
  });

  it.each([
    ['no promise', 'It is wrong.\n\nin: due\n\n- a\n+ b\n', /any\.patch: write a sentence, "found by: PROMISE"/],
    ['no change', 'It is wrong.\n\nfound by: slots\nin: due\n\n  a\n', /any\.patch: its diff changes nothing/],
  ])('is rejected with %s', (_, text, message) => {
    expect(() => parseFault('any.patch', text)).toThrow(message);
  });
});
