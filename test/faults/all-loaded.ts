import '#lib/alerts/plan/handle-deadlines.ts';
import '#lib/checks/assertions/judge-all.ts';
import '#lib/health/pings/provision-check.ts';
import { checkTypes } from '#lib/checks/registry.ts';

// The service loads these when they are first needed. Virtual time does not wait for a file, so they have to be there.
await Promise.all([...checkTypes.values()].map(({ probe }) => probe?.()));
