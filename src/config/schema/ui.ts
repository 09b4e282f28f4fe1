import type { ConfigSchema } from './config-schema.ts';

export const uiSchema = {
  type: 'object',
  description: 'Branding of the web UI. Everybody who opens the sign-in page sees it.',
  additionalProperties: false,
  default: {},
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 40,
      pattern: '\\S',
      patternErrorMessage: 'must not be blank',
      description: 'Name of the service, in the header and in the title of the browser tab.',
      default: 'svc',
      examples: ['Acme Files'],
    },
    logo: {
      type: 'string',
      minLength: 1,
      description:
        'File with a square logo, SVG or PNG, at most 128 KiB, relative to the configuration file. It is also the icon of the browser tab.',
      examples: ['logo.svg'],
    },
    accent: {
      type: 'string',
      pattern: '^#[0-9a-fA-F]{6}$',
      patternErrorMessage: 'must be a colour as `#` and six hexadecimal digits, such as `"#1d4ed8"`',
      description:
        'Colour of buttons, links and selected items. It is darkened or lightened as far as necessary to keep text readable.',
      examples: ['#1d4ed8'],
    },
    help: {
      type: 'object',
      description: 'Contact for help. People see it when they are refused something or find nothing.',
      additionalProperties: false,
      required: ['url'],
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: 80,
          description: 'Text of the link.',
          default: 'Ask for help',
          examples: ['Ask the storage team'],
        },
        url: {
          type: 'string',
          minLength: 1,
          maxLength: 2048,
          description:
            'A web page (`https:`, `http:`) or a mail address (`mailto:`). A mail begins with the details of the problem.',
          examples: ['mailto:storage@example.com'],
        },
      },
    },
    banner: {
      type: 'object',
      description: 'A message above every page.',
      additionalProperties: false,
      required: ['text'],
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'The message, as plain text.',
          examples: ['The archive is read-only on Sunday from 8 to 12.'],
        },
        kind: { type: 'string', enum: ['info', 'warning'], description: 'How it is shown.', default: 'info' },
      },
    },
  },
} as const satisfies ConfigSchema;
