"""Evaluation of hold'em agents: control variates, ranges of hidden hands, enumeration of deals."""
