/** The application's own messages: English in the code, German here. The web UI in its window has a separate catalogue. */
const GERMAN = {
  'Where are your files?': 'Wo sind Ihre Dateien?',
  'Give the address at which people open svc in a browser.':
    'Geben Sie die Adresse an, unter der svc im Browser geöffnet wird.',
  Address: 'Adresse',
  Open: 'Öffnen',
  'Connecting…': 'Verbindung wird hergestellt …',
  '{server} has not answered yet.': '{server} hat noch nicht geantwortet.',
  'The service cannot be reached': 'Der Dienst ist nicht erreichbar',
  'Try again': 'Erneut versuchen',
  'Another address': 'Andere Adresse',
  'Sign in in your browser': 'Melden Sie sich in Ihrem Browser an',
  'The sign-in page of {server} was opened in your browser. This window goes on when you have signed in there.':
    'Die Anmeldeseite von {server} wurde in Ihrem Browser geöffnet. Dieses Fenster macht weiter, sobald Sie dort angemeldet sind.',
  'Nothing opened?': 'Nichts hat sich geöffnet?',
  'Open the sign-in page again': 'Die Anmeldeseite noch einmal öffnen',
  Cancel: 'Abbrechen',
  'You are not signed in': 'Sie sind nicht angemeldet',
  'Sign in': 'Anmelden',
  'Stay signed in on this computer?': 'Auf diesem Computer angemeldet bleiben?',
  'This system has no keyring that is open, so the session cannot be kept encrypted. It can be kept in a file that only you can read ({file}), or not at all.':
    'Dieses System hat keinen geöffneten Schlüsselbund, deshalb kann die Sitzung nicht verschlüsselt aufbewahrt werden. Sie kann in einer Datei aufbewahrt werden, die nur Sie lesen können ({file}), oder gar nicht.',
  'Keep it in the file': 'In der Datei aufbewahren',
  'Only until I close svc': 'Nur bis ich svc schließe',
  'The service has another version': 'Der Dienst hat eine andere Version',
  '{server} runs svc {theirs}, and this application is svc {ours}. Some things may not work here; install the version of the service, or open it in your browser.':
    'Auf {server} läuft svc {theirs}, und diese Anwendung ist svc {ours}. Manches geht hier vielleicht nicht; installieren Sie die Version des Dienstes, oder öffnen Sie ihn im Browser.',
  'Go on here': 'Hier weitermachen',
  'Open in the browser': 'Im Browser öffnen',
  '{name} was downloaded': '{name} wurde heruntergeladen',
  '{name} was not downloaded': '{name} wurde nicht heruntergeladen',
  'Files of {folder} were not uploaded: {count}': 'Nicht hochgeladene Dateien von {folder}: {count}',
  '“Watched folders” in the session menu says why.': '„Beobachtete Ordner“ im Sitzungsmenü sagt, warum.',
  'Watch a folder and upload it to {place}': 'Einen Ordner beobachten und nach {place} hochladen',
} as const;

export type Message = keyof typeof GERMAN;

/** One language of the application. */
export type Words = {
  readonly language: 'de' | 'en';
  readonly t: (message: Message, values?: Readonly<Record<string, string>>) => string;
};

/** @param accepted - the `Accept-Language` of the window's browser, which comes from the system. */
export function wordsFor(accepted = ''): Words {
  const language =
    accepted
      .split(',')
      .map((one) => one.trim().slice(0, 2).toLowerCase())
      .find((one) => one === 'de' || one === 'en') === 'de'
      ? 'de'
      : 'en';
  return {
    language,
    t: (message, values = {}) =>
      (language === 'de' ? GERMAN[message] : message).replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? ''),
  };
}
