import fc from 'fast-check';

// One counterexample is enough to notice a mutant; a small one takes longer to find.
fc.configureGlobal({ endOnFailure: true });
