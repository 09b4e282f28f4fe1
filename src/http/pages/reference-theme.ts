/** Gives the reference the colours and fonts of the web UI. */
export const REFERENCE_THEME = `
:root { color-scheme: light; --ground: #f5f7f8; --body: #ffffff; --text: #16202e; --dim: #566273; --line: #e3e7ec; --accent: #0b6e63; --code: #f1f4f6; }
:root.dark-mode { color-scheme: dark; --ground: #11151b; --body: #171c24; --text: #e6ebf1; --dim: #9ba8b7; --line: #28303b; --accent: #3ecbb6; --code: #1e252f; }
html.dark-mode, body { margin: 0; background: var(--ground); }
body > header { display: flex; align-items: center; gap: 1rem; min-height: 44px; padding: 0.25rem 1.5rem; background: var(--body); border-bottom: 1px solid var(--line); }
body > header, .swagger-ui, .swagger-ui .info .title, .swagger-ui .info p, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description, .swagger-ui .btn, .swagger-ui table thead tr th, .swagger-ui .parameter__name, .swagger-ui .response-col_status, .swagger-ui .tab li, .swagger-ui select, .swagger-ui label, .swagger-ui .opblock .opblock-section-header h4 {
  font-family: "Segoe UI Variable Text", "Segoe UI", system-ui, -apple-system, "SF Pro Text", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
body > header a { color: var(--accent); font-weight: 600; line-height: 44px; text-decoration: none; }
body > header a:hover { text-decoration: underline; }
body > header span { color: var(--text); }
a:focus-visible, button:focus-visible, select:focus-visible, input:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, html.dark-mode .swagger-ui .opblock-tag { color: var(--text); }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .title { font-size: 20px; font-weight: 600; }
.swagger-ui .info .title small pre, .swagger-ui .info .title small.version-stamp { background: none; }
.swagger-ui .info .title small, .swagger-ui .info .title small pre { color: var(--dim); background: none; }
.swagger-ui .opblock-tag { font-size: 16px; font-weight: 600; border-bottom: 1px solid var(--line); }
html .swagger-ui, html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container { background: none; box-shadow: none; }
html .swagger-ui .opblock.opblock { background: var(--body); border-color: var(--line); box-shadow: none; border-radius: 8px; }
.swagger-ui .opblock .opblock-summary { min-height: 40px; border-color: var(--line); }
.swagger-ui .opblock .opblock-summary-path, .swagger-ui .opblock .opblock-summary-path__deprecated { color: var(--text); font-size: 14px; font-weight: 500; }
.swagger-ui .opblock .opblock-summary-description { color: var(--dim); font-size: 14px; }
.swagger-ui .opblock .opblock-section-header { background: var(--code); box-shadow: none; }
.swagger-ui .scheme-container { background: none; box-shadow: none; padding: 0; }
html .swagger-ui .info a, html.dark-mode .swagger-ui .info a { color: var(--accent); }
@media (max-width: 48em) { .swagger-ui .opblock .opblock-summary { min-height: 44px; } .swagger-ui .opblock .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere; } }
`;
