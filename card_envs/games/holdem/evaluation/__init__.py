"""Evaluation of hold'em: control variates, ranges of hidden hands, all deals of small games."""
