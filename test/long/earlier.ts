/**
 * Preloaded into the service by the long test: its clock stands CLOCK_BEHIND_MS behind. What it leaves behind is then
 * so old, to the millisecond, when it is started again with the true time, as if it had been away.
 */
const behind = Number(process.env.CLOCK_BEHIND_MS);
if (!(behind >= 0)) throw new Error('CLOCK_BEHIND_MS is missing.');
const trueNow = Date.now;
Date.now = () => trueNow() - behind;
