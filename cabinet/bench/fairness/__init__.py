"""Who closed the contact first, and whom each way of reading buttons names: `spit-cabinet bench fairness`.

The same random races go in virtual time through this project's own input path (`cabinet_path.py`) and beside it
through models of the usual ones (`usual.py`); then real threads decide races on mock pins while the screen is
drawn (`live.py`). What is true about a race is said by the contacts themselves (`races.py`).
"""
