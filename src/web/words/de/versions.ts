import type { Catalogue } from '../catalogue.ts';

/** The versions of objects, and deleted objects. */
export const versions: Catalogue = {
  'Show versions': 'Versionen anzeigen',
  Versions: 'Versionen',
  'Version: {version}': 'Version: {version}',
  'Loading versions': 'Versionen werden geladen',
  'There are no versions of this file.': 'Es gibt keine Versionen dieser Datei.',
  'This bucket keeps no versions: what is overwritten or deleted is gone.':
    'Dieser Bucket bewahrt keine Versionen auf: Was überschrieben oder gelöscht wird, ist weg.',
  'This bucket keeps old versions, but no new ones.':
    'Dieser Bucket bewahrt alte Versionen auf, aber keine neuen mehr.',
  Newest: 'Neueste',
  Deleted: 'Gelöscht',
  Restore: 'Wiederherstellen',
  'Open the version of {time}': 'Öffnen: Version vom {time}',
  'Download the version of {time}': 'Herunterladen: Version vom {time}',
  'Restore the version of {time}': 'Wiederherstellen: Version vom {time}',
  'Delete this version for ever: {time}': 'Diese Version endgültig löschen: {time}',
  'Delete this version for ever': 'Diese Version endgültig löschen',
  'Delete this version for ever?': 'Diese Version endgültig löschen?',
  'Delete for ever': 'Endgültig löschen',
  'The version of {name} of {time} will be deleted. This cannot be undone by anybody.':
    'Die Version von {name} vom {time} wird gelöscht. Niemand kann das rückgängig machen.',
  'The deletion of {name} of {time} will be removed. If it is the newest, the file comes back.':
    'Die Löschung von {name} vom {time} wird entfernt. Ist sie die neueste, kommt die Datei zurück.',
  'The version of {time} is the newest again.': 'Die Version vom {time} ist wieder die neueste.',
  'The version was not restored': 'Die Version wurde nicht wiederhergestellt',
  'Looking for what the bucket keeps…': 'Es wird nachgesehen, was der Bucket aufbewahrt…',
  'It can be brought back for as long as the bucket keeps versions.':
    'Es lässt sich zurückholen, solange der Bucket Versionen aufbewahrt.',
  'It can be brought back for as long as the bucket keeps versions: {count} days.': {
    one: 'Es lässt sich zurückholen, solange der Bucket Versionen aufbewahrt: {count} Tag.',
    other: 'Es lässt sich zurückholen, solange der Bucket Versionen aufbewahrt: {count} Tage.',
  },
  'Your administrator can bring it back for as long as the bucket keeps versions.':
    'Ihre Administration kann es zurückholen, solange der Bucket Versionen aufbewahrt.',
  'Your administrator can bring it back for as long as the bucket keeps versions: {count} days.': {
    one: 'Ihre Administration kann es zurückholen, solange der Bucket Versionen aufbewahrt: {count} Tag.',
    other: 'Ihre Administration kann es zurückholen, solange der Bucket Versionen aufbewahrt: {count} Tage.',
  },
  'The bucket keeps only old versions. What was written since it stopped keeping new ones is gone for ever.':
    'Der Bucket bewahrt nur alte Versionen auf. Was geschrieben wurde, seit er keine neuen mehr aufbewahrt, ist endgültig weg.',
  'The bucket keeps no versions, so this is final.':
    'Der Bucket bewahrt keine Versionen auf. Das Löschen ist deshalb endgültig.',
  'It is unknown whether the bucket keeps versions, so this may be final.':
    'Es ist nicht bekannt, ob der Bucket Versionen aufbewahrt. Das Löschen kann also endgültig sein.',
  'The files were not restored': 'Die Dateien wurden nicht wiederhergestellt',
  '{failures} of {all} could not be restored': '{failures} von {all} konnten nicht wiederhergestellt werden',
  'It exists again, so it stays as it is.': 'Es gibt sie wieder, deshalb bleibt sie, wie sie ist.',
  'Restore this folder to…': 'Diesen Ordner zurücksetzen auf…',
  'Restore {place} to an earlier time': '{place} auf einen früheren Zeitpunkt zurücksetzen',
  'Date and time': 'Datum und Uhrzeit',
  'Everything in the folder and its subfolders gets the content that it had then.':
    'Alles im Ordner und in seinen Unterordnern bekommt den Inhalt, den es damals hatte.',
  'Choose a time in the past.': 'Wählen Sie einen Zeitpunkt in der Vergangenheit.',
  'Show what would change': 'Zeigen, was sich ändern würde',
  'What would change': 'Was sich ändern würde',
  'As it was on {time}:': 'Wie am {time}:',
  '{count} files come back ({size}).': {
    one: '{count} Datei kommt zurück ({size}).',
    other: '{count} Dateien kommen zurück ({size}).',
  },
  '{count} files did not exist then and are deleted. Their versions stay.': {
    one: '{count} Datei gab es damals nicht und wird gelöscht. Ihre Versionen bleiben.',
    other: '{count} Dateien gab es damals nicht und werden gelöscht. Ihre Versionen bleiben.',
  },
  '{count} files were different then, but stay as they are.': {
    one: '{count} Datei war damals anders, bleibt aber, wie sie ist.',
    other: '{count} Dateien waren damals anders, bleiben aber, wie sie sind.',
  },
  '{count} files are as they were then.': {
    one: '{count} Datei ist wie damals.',
    other: '{count} Dateien sind wie damals.',
  },
  'Comparing…': 'Es wird verglichen…',
  'The comparison is not complete, so nothing can be restored.':
    'Der Vergleich ist nicht vollständig, deshalb lässt sich nichts zurücksetzen.',
  'Choose another time': 'Anderen Zeitpunkt wählen',
  'Restore the folder': 'Ordner zurücksetzen',
  'comes back': 'kommt zurück',
  'is deleted': 'wird gelöscht',
  stays: 'bleibt',
  'You may not change it.': 'Sie dürfen sie nicht ändern.',
  'Its content of that time is not kept.': 'Ihr damaliger Inhalt ist nicht aufbewahrt.',
  'The bucket keeps no new versions, so this could not be undone.':
    'Der Bucket bewahrt keine neuen Versionen auf, deshalb ließe sich das nicht rückgängig machen.',
  'It was changed after the plan, so it stays as it is.':
    'Sie wurde nach dem Vergleich geändert, deshalb bleibt sie, wie sie ist.',
  'Storage did not change it.': 'Der Speicher hat sie nicht geändert.',
  'The folder was not restored completely': 'Der Ordner wurde nicht vollständig zurückgesetzt',
  'Restoring {place}': '{place} wird zurückgesetzt',
  'Restored {place}': '{place} wurde zurückgesetzt',
  'Storage class': 'Speicherklasse',
  'Locked until': 'Gesperrt bis',
  'Legal hold': 'Rechtliche Aufbewahrung',
  Set: 'Gesetzt',
  'There is a legal hold on this version. It cannot be deleted for ever until the hold ends.':
    'Diese Version wird aus rechtlichen Gründen aufbewahrt. Sie lässt sich erst endgültig löschen, wenn das endet.',
  'This version is locked until {time}. It cannot be deleted for ever before.':
    'Diese Version ist bis {time} gesperrt. Vorher lässt sie sich nicht endgültig löschen.',
  'This file is in the archive of the storage. It must be brought back from there before it can be opened.':
    'Diese Datei liegt im Archiv des Speichers. Sie muss erst von dort zurückgeholt werden, bevor sie sich öffnen lässt.',
  'This file is being brought back from the archive of the storage. Try again later.':
    'Diese Datei wird gerade aus dem Archiv des Speichers zurückgeholt. Versuchen Sie es später noch einmal.',
  'Bring back from the archive': 'Aus dem Archiv zurückholen',
  'The storage was not asked to bring the file back': 'Der Speicher wurde nicht gebeten, die Datei zurückzuholen',
  'It can be opened for {days} days then. This takes minutes to days, and the storage may charge for it.':
    'Dann lässt sie sich {days} Tage lang öffnen. Das dauert Minuten bis Tage, und der Speicher kann etwas dafür berechnen.',
  Compare: 'Vergleichen',
  'Compare the version of {time} with the current version': 'Vergleichen: Version vom {time} mit der aktuellen Version',
  'Close the comparison': 'Vergleich schließen',
  'Both versions have the same text.': 'Beide Versionen haben denselben Text.',
  'These versions cannot be compared here': 'Diese Versionen lassen sich hier nicht vergleichen',
  'Only text in UTF-8 of up to 1 MiB can be compared here. Download both to compare them.':
    'Hier lässt sich nur Text in UTF-8 bis 1 MiB vergleichen. Laden Sie beide herunter, um sie zu vergleichen.',
  'Red: only in the version of {time}. Green: only in the current version.':
    'Rot: nur in der Version vom {time}. Grün: nur in der aktuellen Version.',
  'Version of {time}': 'Version vom {time}',
  'Current version': 'Aktuelle Version',
  'Current version of {name}': 'Aktuelle Version von {name}',
  'Version of {name} of {time}': 'Version von {name} vom {time}',
  'Show deleted': 'Gelöschtes anzeigen',
  'Hide deleted': 'Gelöschtes ausblenden',
  'Deleted {time}': 'Gelöscht {time}',
  '{count} deleted items are shown.': {
    one: '{count} gelöschter Eintrag wird angezeigt.',
    other: '{count} gelöschte Einträge werden angezeigt.',
  },
  '{shown} There may be more.': '{shown} Es kann weitere geben.',
  'Nothing that was deleted here is kept.': 'Nichts, was hier gelöscht wurde, ist aufbewahrt.',
  'Looking for what was deleted…': 'Es wird nachgesehen, was gelöscht wurde…',
  'What was deleted could not be loaded. {reason}': 'Das Gelöschte konnte nicht geladen werden. {reason}',
  'Restoring {what}': '{what} wird wiederhergestellt',
  'Restored {what}': '{what} wurde wiederhergestellt',
  'Restore the deleted row or the deleted rows of the selection':
    'Die gelöschte Zeile oder die gelöschten Zeilen der Auswahl wiederherstellen',
  'The bucket keeps no version of it.': 'Der Bucket bewahrt keine Version davon auf.',
};
