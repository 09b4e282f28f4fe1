import type { Catalogue } from '../catalogue.ts';

/** Signing in and out, the navigation, and problems. */
export const page: Catalogue = {
  'The request was cancelled.': 'Die Anfrage wurde abgebrochen.',
  'The service did not answer. Check your connection, then try again.':
    'Der Dienst hat nicht geantwortet. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  'A proxy in front of the service does not accept requests this large. An administrator can raise its limit.':
    'Ein Proxy vor dem Dienst nimmt keine so großen Anfragen an. Ein Administrator kann seine Grenze anheben.',
  'Files are arriving': 'Dateien treffen ein',
  'They appear here as soon as they are stored.': 'Sie erscheinen hier, sobald sie gespeichert sind.',
  '{name} cannot be reached. This page opens again by itself as soon as there is a connection.':
    '{name} ist nicht erreichbar. Diese Seite öffnet sich von selbst wieder, sobald es eine Verbindung gibt.',
  'Your session has ended.': 'Ihre Sitzung ist beendet.',
  'You may not do this.': 'Das dürfen Sie nicht.',
  'There is no such file.': 'Diese Datei gibt es nicht.',
  'The answer could not be read. Try again in a moment.':
    'Die Antwort ließ sich nicht lesen. Versuchen Sie es gleich noch einmal.',
  'Check your connection, then try again.': 'Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  'Sign in again to continue.': 'Melden Sie sich erneut an, um fortzufahren.',
  'It may have been moved or deleted. Reload the folder.':
    'Es wurde vielleicht verschoben oder gelöscht. Laden Sie den Ordner neu.',
  'Choose another name.': 'Wählen Sie einen anderen Namen.',
  'Delete everything in the bucket first. It may also contain files that you may not see.':
    'Löschen Sie zuerst alles im Bucket. Er kann auch Dateien enthalten, die Sie nicht sehen dürfen.',
  'Choose another name, or replace the existing file.':
    'Wählen Sie einen anderen Namen, oder ersetzen Sie die vorhandene Datei.',
  'Revoke a key that is no longer needed.': 'Widerrufen Sie einen Schlüssel, der nicht mehr gebraucht wird.',
  'Wait a moment, then try again.': 'Warten Sie einen Augenblick, und versuchen Sie es erneut.',
  'Try again in a moment.': 'Versuchen Sie es gleich noch einmal.',
  'Try again.': 'Versuchen Sie es erneut.',
  'If the problem persists, tell an administrator of this service.':
    'Wenn das Problem bleibt, sagen Sie es einem Administrator dieses Dienstes.',
  'Something went wrong.': 'Etwas ist schiefgegangen.',
  'The answer was interrupted. Check your connection, then try again.':
    'Die Antwort wurde unterbrochen. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  'Menus, dialogs and messages': 'Menüs, Dialoge und Meldungen',
  'Copy details': 'Angaben kopieren',
  Details: 'Angaben',
  'The preview could not be shown': 'Die Vorschau konnte nicht angezeigt werden',
  'This could not be shown': 'Dies konnte nicht angezeigt werden',
  'Something went wrong here. Try again. If the problem persists, reload the page.':
    'Hier ist etwas schiefgegangen. Versuchen Sie es erneut. Wenn das Problem bleibt, laden Sie die Seite neu.',
  'A new version is available': 'Eine neue Version ist verfügbar',
  'You are offline': 'Sie sind offline',
  'Reload the page to continue.': 'Laden Sie die Seite neu, um fortzufahren.',
  'This part of the page was not loaded yet. Reload the page when you are connected again.':
    'Dieser Teil der Seite wurde noch nicht geladen. Laden Sie die Seite neu, wenn Sie wieder verbunden sind.',
  'Your uploads continue in the meantime. Reload when they are done.':
    'Ihre Uploads laufen inzwischen weiter. Laden Sie neu, wenn sie fertig sind.',
  Reload: 'Neu laden',
  'a browser for object storage': 'ein Browser für Objektspeicher',
  'Your session has ended': 'Ihre Sitzung ist beendet',
  'Sign in again to continue where you were. Running uploads then continue too.':
    'Melden Sie sich erneut an, um dort fortzufahren, wo Sie waren. Laufende Uploads werden dann fortgesetzt.',
  'Waiting for the sign-in in the other window…': 'Es wird auf die Anmeldung im anderen Fenster gewartet…',
  'Sign in': 'Anmelden',
  'Check session': 'Sitzung prüfen',
  'Checking your session': 'Ihre Sitzung wird geprüft',
  'Signing out': 'Sie werden abgemeldet',
  'Your session could not be checked': 'Ihre Sitzung konnte nicht geprüft werden',
  'You may still be signed in. Your data is hidden until the service answers.':
    'Vielleicht sind Sie noch angemeldet. Ihre Daten bleiben verborgen, bis der Dienst antwortet.',
  'Sign-out is unconfirmed': 'Die Abmeldung ist nicht bestätigt',
  'The service did not confirm it, so you may still be signed in. Check the session, and sign out again if it is still there.':
    'Der Dienst hat sie nicht bestätigt, vielleicht sind Sie noch angemeldet. Prüfen Sie die Sitzung, und melden Sie sich erneut ab, wenn es sie noch gibt.',
  'Browse, share and organise the object storage that you have been given access to. Your organisation’s sign-in page opens next.':
    'Durchsehen, teilen und ordnen Sie den Objektspeicher, zu dem Sie Zugang haben. Als Nächstes öffnet sich die Anmeldeseite Ihrer Organisation.',
  'You are signed in': 'Sie sind angemeldet',
  'You can close this window and continue where you were.':
    'Sie können dieses Fenster schließen und dort fortfahren, wo Sie waren.',
  'Continue in this window': 'In diesem Fenster fortfahren',
  'You are signed out': 'Sie sind abgemeldet',
  'Your session on this service has ended. On a shared computer, close the browser window too.':
    'Ihre Sitzung bei diesem Dienst ist beendet. Schließen Sie an einem gemeinsam genutzten Computer auch das Browserfenster.',
  'Sign in again': 'Erneut anmelden',
  Ctrl: 'Strg',
  Shift: 'Umschalt',
  'Open the menu of the row, or of the folder if no row has the focus':
    'Das Menü der Zeile öffnen, oder das des Ordners, wenn keine Zeile den Fokus hat',
  Enter: 'Eingabe',
  Space: 'Leertaste',
  Backspace: 'Rücktaste',
  Del: 'Entf',
  Escape: 'Esc',
  'Search, go to a bucket, a folder or an address, or start an action':
    'Suchen, zu einem Bucket, einem Ordner oder einer Adresse gehen, oder eine Aktion beginnen',
  'Filter the rows; with Shift and Enter, search the subfolders too':
    'Die Zeilen filtern; mit Umschalt und Eingabe auch die Unterordner durchsuchen',
  'Move through the rows; with Shift, select them': 'Durch die Zeilen gehen; mit Umschalt auswählen',
  'Open the folder or the details of the file; press again for full screen':
    'Den Ordner oder die Details der Datei öffnen; noch einmal drücken für Vollbild',
  'In full screen: previous or next file': 'Im Vollbild: vorherige oder nächste Datei',
  'In full screen: zoom in, zoom out, fit to the screen': 'Im Vollbild: vergrößern, verkleinern, anpassen',
  'Select the row': 'Die Zeile auswählen',
  'Go to the parent folder': 'Zum übergeordneten Ordner gehen',
  'Rename the row': 'Die Zeile umbenennen',
  'Delete the row or the selection': 'Die Zeile oder die Auswahl löschen',
  'Cut the row or the selection, to move it to another folder':
    'Die Zeile oder die Auswahl ausschneiden, um sie in einen anderen Ordner zu verschieben',
  'Copy the row or the selection': 'Die Zeile oder die Auswahl kopieren',
  'Paste into the open folder, also a picture from the clipboard':
    'In den offenen Ordner einfügen, auch ein Bild aus der Zwischenablage',
  'A to Z': 'A bis Z',
  'Go to the row whose name begins with what you type': 'Zur Zeile gehen, deren Name mit dem Getippten beginnt',
  'Undo the last move, rename or deletion, while this is offered':
    'Das letzte Verschieben, Umbenennen oder Löschen rückgängig machen, solange es angeboten wird',
  'Cancel a cut or copy, clear the selection, or close the details':
    'Ausschneiden oder Kopieren abbrechen, die Auswahl aufheben oder die Details schließen',
  'Show or hide the sidebar': 'Die Seitenleiste ein- oder ausblenden',
  'Show this help': 'Diese Hilfe anzeigen',
  'No such page': 'Diese Seite gibt es nicht',
  'There is nothing at this address': 'Unter dieser Adresse ist nichts',
  'Go to the home page': 'Zur Startseite',
  'The link may be old, or mistyped.': 'Der Link ist vielleicht alt oder vertippt.',
  'You are offline. What you see may be out of date. Uploads continue when you are connected again.':
    'Sie sind offline. Was Sie sehen, ist vielleicht veraltet. Uploads werden fortgesetzt, wenn Sie wieder verbunden sind.',
  '{count} more. Use the filter to find them.': '{count} weitere. Mit dem Filter finden Sie sie.',
  'Session of': 'Sitzung von',
  'sign-in is off': 'Anmeldung ist aus',
  Session: 'Sitzung',
  System: 'System',
  Light: 'Hell',
  Dark: 'Dunkel',
  'Colour scheme': 'Farbschema',
  Language: 'Sprache',
  'API reference': 'API-Referenz',
  'Sign out': 'Abmelden',
  'Sign out of all accounts': 'Von allen Konten abmelden',
  'Some accounts are still signed in': 'Manche Konten sind noch angemeldet',
  '{servers} did not answer. Try again in a moment.':
    '{servers} hat nicht geantwortet. Versuchen Sie es gleich noch einmal.',
  'Go to…': 'Gehe zu…',
  'Skip to content': 'Zum Inhalt springen',
  'Hide the sidebar': 'Seitenleiste ausblenden',
  'Open navigation': 'Navigation öffnen',
  '{name}, home page': '{name}, Startseite',
  'Show the sidebar': 'Seitenleiste einblenden',
  Navigation: 'Navigation',
  'Filter buckets': 'Buckets filtern',
  'Filter providers and buckets': 'Anbieter und Buckets filtern',
  'This could not be refreshed. It was last updated on {time}.':
    'Dies konnte nicht aktualisiert werden. Sie sehen den Stand vom {time}.',
  'This could not be loaded': 'Dies konnte nicht geladen werden',
  'Request {id}': 'Anfrage {id}',
  'You have no access here': 'Sie haben hier keinen Zugriff',
  'You may not open {place}.': 'Sie dürfen {place} nicht öffnen.',
  'You may not see what is in {place}.': 'Sie dürfen nicht sehen, was in {place} liegt.',
  'You may not change {place}.': 'Sie dürfen {place} nicht ändern.',
  'You may not delete {place}.': 'Sie dürfen {place} nicht löschen.',
  'You may not do this in {place}.': 'Sie dürfen das in {place} nicht.',
  'No rule allows it.': 'Keine Regel erlaubt es.',
  'A rule denies it.': 'Eine Regel verweigert es.',
  'Nobody has given you access.': 'Niemand hat Ihnen Zugriff gegeben.',
  'Access was denied to you.': 'Der Zugriff wurde Ihnen verweigert.',
  'Ask an administrator of this service for access.': 'Bitten Sie einen Administrator dieses Dienstes um Zugriff.',
  '“Check access” says why.': '„Zugriff prüfen“ sagt, warum.',
  'Hide this message': 'Diese Meldung ausblenden',
};
