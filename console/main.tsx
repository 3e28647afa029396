import './style/main.css';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { applyTheme } from './app/appearance.ts';
import { startClock } from './app/clock.ts';
import { watchAttention } from './app/live.ts';
import { readMe, watchSession } from './app/session.ts';

applyTheme();
startClock();
watchSession();
watchAttention();
render(<App />, document.querySelector('#app')!);
void readMe();
