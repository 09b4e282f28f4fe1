import type { Catalogue } from '../catalogue.ts';

/** The versions of objects, and deleted objects. */
export const versions: Catalogue = {
  'Show versions': 'Versionen anzeigen',
  Versions: 'Versionen',
  'Loading versions': 'Versionen werden geladen',
  'There are no versions of this file.': 'Es gibt keine Versionen dieser Datei.',
  'This bucket keeps no versions: what is overwritten or deleted is gone.':
    'Dieser Bucket bewahrt keine Versionen auf: Was überschrieben oder gelöscht wird, ist weg.',
  'This bucket keeps old versions, but no new ones.':
    'Dieser Bucket bewahrt alte Versionen auf, aber keine neuen mehr.',
  Newest: 'Neueste',
  Deleted: 'Gelöscht',
  Open: 'Öffnen',
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
};
