import { defineConfig } from 'eslint/config';
import { parser } from 'typescript-eslint';

/**
 * What Oxlint has no rule for: the types refuse a place about which policy was not asked, but not these ways to make one. Every other rule is in `.oxlintrc.json`.
 */
export default defineConfig({
  files: ['src/operation/**/*.ts'],
  languageOptions: { parser },
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  rules: {
    'no-restricted-syntax': [
      'error',
      ...[
        'MemberExpression[property.name=/^(?:s3|links)$/]',
        'ObjectPattern > Property[key.name=/^(?:s3|links)$/]',
        'MemberExpression > Literal[value=/^(?:s3|links)$/]',
        'MemberExpression[object.name="Object"][property.name="assign"]',
        ':function[typeParameters] ObjectExpression > SpreadElement',
        ':matches(TSAsExpression, TSTypeAssertion) TSTypeReference[typeName.name=/^(?:Permitted|Opened)$/]',
      ].map((selector) => ({ selector, message: 'Reach storage with a place that policy allowed, as it is.' })),
    ],
  },
});
