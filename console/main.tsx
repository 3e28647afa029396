import { render } from 'preact';
import './style/main.css';

render(<h1>Fleetwatch</h1>, document.querySelector('#app')!);
