/** One person whom the demo's identity provider knows. What they may do is written in `svc.config.yaml`, not here. */
export type DemoAccount = {
  /** The `sub` claim. */
  readonly subject: string;
  readonly name: string;
  /** The `groups` claim. */
  readonly groups: readonly string[];
  /** One line for the sign-in page and the terminal. */
  readonly may: string;
};

export const ACCOUNTS: readonly DemoAccount[] = [
  {
    subject: 'ada',
    name: 'Ada Admin',
    groups: ['storage-admins', 'staff'],
    may: 'everything but what all staff are denied (hr/ in team-files), and the admin pages',
  },
  {
    subject: 'erik',
    name: 'Erik Editor',
    groups: ['editors'],
    may: 'reads and writes every bucket; creates and deletes none',
  },
  { subject: 'vera', name: 'Vera Viewer', groups: ['viewers'], may: 'reads every bucket, changes nothing' },
  { subject: 'petra', name: 'Petra Prefix', groups: [], may: 'sees one folder: photos/2025/summer/ on main' },
  {
    subject: 'dana',
    name: 'Dana Denied',
    groups: ['staff'],
    may: 'works in team-files, except hr/ and one file that she sees but cannot open',
  },
  {
    subject: 'ines',
    name: 'Ines Import',
    groups: ['partners'],
    may: 'lists team-files and uses inbox/, by an imported AWS IAM document',
  },
  {
    subject: 'noah',
    name: 'Noah Nobody',
    groups: ['cafeteria'],
    may: 'signs in and sees nothing: no policy is bound to him',
  },
];
