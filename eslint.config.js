import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import reactHooks from 'eslint-plugin-react-hooks';

const NAMED_EXPORTS = { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' };

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      'coverage/**',
      '.cache/**',
      'src/web/color-scheme.js',
      'src/web/offline/offline-worker.js',
      'openapi/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', '*.cjs', 'bin/*.js', 'scripts/build/*.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-control-regex': 'off',
      'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }],
      'no-restricted-syntax': ['error', NAMED_EXPORTS],
    },
  },
  // The types refuse a place about which policy was not asked, but not these ways to make one.
  {
    files: ['src/operation/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        NAMED_EXPORTS,
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
  },
  { files: ['src/web/**/*.{ts,tsx}'], ...reactHooks.configs.flat['recommended-latest'] },
  // The React compiler is not used, so no library can be incompatible with it.
  { files: ['src/web/**/*.tsx'], rules: { 'react-hooks/incompatible-library': 'off' } },
  {
    files: ['*.js', '*.cjs', 'bin/*.js', '*.config.ts', 'src/web/*.config.ts', 'jest.config.js'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['*.js', '*.cjs', 'bin/*.js', '*.config.ts', 'src/web/*.config.ts'],
    languageOptions: { globals: { process: 'readonly', module: 'writable', URL: 'readonly' } },
    rules: { 'no-restricted-syntax': 'off' },
  },
);
