/**
 * Preloaded into the service by the long test: sets its clock back by CLOCK_BEHIND_MS. When the service is then started
 * with the true time, its data is that old, as after an outage of that length.
 */
const behind = Number(process.env.CLOCK_BEHIND_MS);
if (!(behind >= 0)) throw new Error('CLOCK_BEHIND_MS is missing.');
const trueNow = Date.now;
Date.now = () => trueNow() - behind;
