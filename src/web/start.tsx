import './components.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { desktop } from './desktop/desktop.ts';
import { goOnWithDesktop } from './desktop/go-on.ts';
import { watchPage } from './work/work.ts';

watchPage();
if (desktop !== undefined) goOnWithDesktop(desktop);
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
